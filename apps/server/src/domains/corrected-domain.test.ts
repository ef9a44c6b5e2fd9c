import { Credential, DomainName } from "@bowline/api";
import { BowlineError, systemClock } from "@bowline/core";
import { ManualClock } from "@bowline/core/testing";
import { FakeAccount, testKey } from "@bowline/providers/testing/eks";
import { describe, expect, onTestFinished, test, vi } from "vitest";

import { zoneOpener } from "./open-zone.ts";
import { DomainStage } from "./testing/domain-stage.ts";

const host = "shop.example.com";
const two = { a: ["192.0.2.1"], b: ["192.0.2.2"] };
const toA = ["60 A 192.0.2.1"];

async function stageWith(server: string): Promise<DomainStage> {
  const stage = await DomainStage.open();
  stage.dns.missing.add("wrong.example.net");
  await stage.domain({ rfc2136: { server } });
  await stage.gateway(two);
  return stage;
}

async function isThere({ store }: DomainStage): Promise<boolean> {
  return (await store.objects.get(DomainName, "example-com")) !== undefined;
}

describe("A DomainName with a mistake", () => {
  test("that named a server that there is not is mended by naming another: nobody has to remove anything from the first", async () => {
    const stage = await stageWith("wrong.example.net");
    await stage.turns(60_000);
    expect(await stage.ready()).toBe("False RecordPending: The name server does not answer.");
    expect(stage.dns.asked).toBeLessThan(10);
    await stage.domain({ rfc2136: { server: "192.0.2.53" } });
    await stage.turn();
    expect(stage.dns.records(host)).toEqual(toA);
    expect(await stage.ready()).toBe("True Reachable: It leads to a.");
  });

  test("is told of it before it has a host, and that it was corrected", async () => {
    const stage = await DomainStage.open();
    stage.dns.missing.add("wrong.example.net");
    const ready = async (): Promise<string> => {
      await stage.turns(30_000);
      return stage.ready();
    };
    const noHost = "No Gateway has a host in example.com";
    const so = (why: string): string => `False RecordPending: ${noHost}, and none could have records: ${why}`;
    await stage.domain({ rfc2136: { server: "wrong.example.net" } });
    expect(await ready()).toBe(so("The name server does not answer."));
    stage.dns.isReadOnly = true;
    await stage.domain();
    expect(await ready()).toBe(so("The name server lets nobody change it."));
    await stage.domain({ credential: "zone-key" });
    expect(await ready()).toBe(so('There is no Credential "zone-key"; create it.'));
    stage.dns.isReadOnly = false;
    await stage.domain();
    expect(await ready()).toBe(`True NoHosts: ${noHost}.`);
    // Asked for now and then only.
    const { asked } = stage.dns;
    await stage.turns(30 * 60_000);
    expect(stage.dns.asked - asked).toBeLessThan(10);
    await stage.gateway(two);
    await stage.turn();
    expect(stage.dns.records(host)).toEqual(toA);
  });

  test("is told in the same way that its Credential has no rights in Route 53", async () => {
    const account = await FakeAccount.open(new ManualClock(), () => undefined);
    onTestFinished(() => account[Symbol.asyncDispose]());
    account.aws.addHostedZone("example.com");
    const stage = await DomainStage.open(
      zoneOpener({ clock: systemClock, random: Math.random, aws: account.api }),
    );
    await stage.store.objects.create(Credential, {
      metadata: { name: "aws", labels: {}, annotations: {} },
      spec: { type: "aws", data: { ...testKey } },
    });
    const allow = (Action: string): void =>
      account.restrict({ Version: "2012-10-17", Statement: [{ Effect: "Allow", Action, Resource: "*" }] });
    allow("eks:*");
    await stage.domain({ provider: "route53", credential: "aws" });
    await stage.turn();
    expect(await stage.ready()).toMatch(/^False RecordPending: .*: AWS does not permit route53:/u);
    allow("route53:*");
    await stage.turns(10_000);
    expect(await stage.ready()).toMatch(/^True NoHosts/u);
  });

  test("goes as soon as it is deleted, where its server never was", async () => {
    const stage = await stageWith("wrong.example.net");
    await stage.turn();
    await stage.store.objects.delete(DomainName, "example-com");
    await stage.turn();
    expect(await isThere(stage)).toBe(false);
  });

  test("goes, or moves to another zone, where it might change nothing, and did not", async () => {
    const stage = await stageWith("192.0.2.53");
    stage.dns.isReadOnly = true;
    await stage.turn();
    expect(await stage.ready()).toBe("False RecordPending: The name server lets nobody change it.");
    await stage.domain({ domain: host, zone: host });
    await stage.turns(1_000);
    stage.dns.isReadOnly = false;
    await stage.turns(5_000);
    expect(stage.dns.records(host, host)).toEqual(toA);
    stage.dns.isReadOnly = true;
    await stage.store.objects.delete(DomainName, "example-com");
    await stage.turns(1_000);
    expect(await stage.ready()).toBe(
      "False Deleting: The records of shop.example.com are still there: Its records are to be removed. The name server lets nobody change it. spec.deletionPolicy orphan leaves them there.",
    );
    stage.dns.isReadOnly = false;
    await stage.turns(30_000);
    expect(await isThere(stage)).toBe(false);
    expect(stage.dns.size).toBe(0);
  });

  test("is tried at once with a Credential that has been made, or corrected", async () => {
    const stage = await DomainStage.open();
    await stage.domain({ credential: "zone-key" });
    await stage.gateway(two);
    await stage.turns(60_000);
    expect(await stage.ready()).toBe('False RecordPending: There is no Credential "zone-key"; create it.');
    const key = (secret: string): Promise<unknown> =>
      stage.store.objects.write(Credential, "zone-key", () => ({
        metadata: { name: "zone-key", labels: {}, annotations: {} },
        spec: { type: "tsig" as const, data: { name: "key", algorithm: "hmac-sha256", secret } },
      }));
    await key("d3Jvbmc=");
    stage.dns.isDown = true;
    await stage.turn();
    expect(await stage.ready()).toBe("False RecordPending: The name server does not answer.");
    stage.dns.isDown = false;
    await stage.turn();
    expect(stage.dns.records(host)).toEqual([]);
    await key("cmlnaHQ=");
    await stage.turn();
    expect(stage.dns.records(host)).toEqual(toA);
    expect(stage.dns.opened.at(-1)?.credential).toMatchObject({ secret: "cmlnaHQ=" });
  });

  test("tells of a Credential that cannot be read, and goes on looking at its clusters", async () => {
    const stage = await DomainStage.open();
    await stage.domain({ credential: "zone-key" });
    await stage.gateway(two);
    const unread = new BowlineError("Internal", "There is no key for it.");
    const reveal = vi.spyOn(stage.store.objects, "reveal").mockRejectedValue(unread);
    await stage.turn();
    expect(await stage.ready()).toBe("False RecordPending: There is no key for it.");
    stage.silent.add("192.0.2.1");
    await stage.turns(30_000);
    expect(stage.probed.length).toBeGreaterThan(2);
    reveal.mockRestore();
  });
});
