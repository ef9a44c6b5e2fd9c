import { systemClock } from "@bowline/core";
import { ManualClock } from "@bowline/core/testing";
import { FakeAccount, testKey } from "@bowline/providers/testing/eks";
import { expect, test } from "vitest";

import { zoneOpener } from "./open-zone.ts";

const by = { owner: "here/example-com", signal: AbortSignal.timeout(60_000) };
const host = "shop.example.com";
const toEach = ["192.0.2.1", "192.0.2.2"].map((address, index) => ({
  type: "A" as const,
  values: [address],
  ttlSeconds: 60,
  variant: { id: `cluster-${index}`, weight: 1 },
}));

test("a DomainName of route53 is written in its hosted zone, and what was learned of that is asked once", async () => {
  await using account = await FakeAccount.open(new ManualClock(), () => {});
  account.aws.world.settings.route53PerSecond = 10_000;
  const hostedZone = account.aws.addHostedZone("example.com");
  const openZone = zoneOpener({ clock: systemClock, random: Math.random, aws: account.api });
  const credential = { ...testKey };
  await using named = openZone({ provider: "route53", zone: "example.com", hostedZone }, credential);
  expect(await named.put(host, toEach, by)).toEqual({ outcome: "changed" });
  const place = { provider: "route53", zone: "example.com" } as const;
  await using found = openZone(place, credential);
  expect((await found.look(host, by.signal)).sets).toHaveLength(2);
  // Of each round: sessions of roles, and the five calls a second that an account has, are not one round's alone.
  expect(openZone(place, { ...credential })).toBe(found);
  expect(openZone(place, { ...credential, secretAccessKey: "corrected" })).not.toBe(found);
});
