import { Credential, DomainName } from "@bowline/api";
import { BowlineError } from "@bowline/core";
import { describe, expect, test, vi } from "vitest";

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
