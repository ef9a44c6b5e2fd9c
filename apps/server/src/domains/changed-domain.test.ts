import { Credential, DomainName } from "@bowline/api";
import { describe, expect, test } from "vitest";

import { DomainStage } from "./testing/domain-stage.ts";

const host = "shop.example.com";
const two = { a: ["192.0.2.1"], b: ["192.0.2.2"] };

describe("What an admin changes", () => {
  test("of the credential alone takes no records away", async () => {
    const stage = await DomainStage.open();
    for (const name of ["old", "new"]) {
      await stage.store.objects.create(Credential, {
        metadata: { name, labels: {}, annotations: {} },
        spec: { type: "tsig", data: { name, secret: "c2VjcmV0", algorithm: "hmac-sha256" } },
      });
    }
    await stage.domain({ credential: "old" });
    await stage.gateway(two);
    await stage.turn();
    await stage.domain({ credential: "new" });
    // Nobody has to keep what is used no more.
    await stage.store.objects.delete(Credential, "old");
    await stage.turns(10_000);
    expect(stage.dns.changes).toEqual([`${host}: 60 A 192.0.2.1`]);
    expect(stage.dns.opened.at(-1)?.place.credential).toBe("new");
    const domain = await stage.store.objects.get(DomainName, "example-com");
    expect(domain?.status.hosts[0]?.place?.credential).toBe("new");
    await stage.store.objects.delete(DomainName, "example-com");
    await stage.turn();
    expect(stage.dns.records(host)).toEqual([]);
  });
});

test("A cluster whose load balancer has a name alone is told of where records for all cannot lead to it", async () => {
  const stage = await DomainStage.open();
  await stage.domain({ policy: "all" });
  await stage.gateway({ a: ["192.0.2.1"], b: ["lb.example.net"] });
  await stage.turn();
  expect(stage.dns.records(host)).toEqual(["60 A 192.0.2.1"]);
  expect(await stage.ready()).toMatch(/^False NameAlone: It leads to a, and not to b: .*policy single/);
  await stage.domain({ policy: "single" });
  await stage.turns(60_000);
  expect(await stage.ready()).toBe("True Reachable: It leads to a.");
});
