import { DomainName } from "@bowline/api";
import { describe, expect, test } from "vitest";

import { DomainStage } from "./testing/domain-stage.ts";

const host = "shop.example.com";
const two = { a: ["192.0.2.1"], b: ["192.0.2.2"] };
const toA = ["60 A 192.0.2.1"];
const toB = ["60 A 192.0.2.2"];
const [first, second, third] = ["ns1.example.net", "ns2.example.net", "ns3.example.net"] as const;

/** Name servers with zones of their own, and records in the first of them. */
async function stageOfThree(): Promise<DomainStage> {
  const stage = await DomainStage.open();
  for (const server of [first, second, third]) stage.dns.apart.add(server);
  await stage.domain({ rfc2136: { server: first } });
  await stage.gateway(two);
  await stage.turns(60_000);
  return stage;
}

/** What each of the servers has. */
function recordsAt({ dns }: DomainStage): string[][] {
  return [first, second, third].map((server) => dns.records(host, "example.com", server));
}

async function oldPlaces({ store }: DomainStage): Promise<unknown> {
  return (await store.objects.get(DomainName, "example-com"))?.status.hosts[0]?.oldPlaces;
}

test("A server that turns out to be one that was there before is written again at once", async () => {
  const stage = await stageOfThree();
  stage.dns.isReadOnly = true;
  await stage.domain({ rfc2136: { server: second } });
  await stage.turn();
  // Both are names of one now.
  stage.dns.apart.delete(first);
  stage.dns.apart.delete(second);
  stage.dns.isReadOnly = false;
  await stage.turns(30_000);
  expect(stage.dns.records(host)).toEqual(toA);
  expect(await stage.ready()).toBe("True Reachable: It leads to a.");
});

describe("A DomainName that gets another server", () => {
  test("has its records there before they go where they were", async () => {
    const stage = await stageOfThree();
    const seen: string[][][] = [];
    stage.dns.onChange = () => seen.push(recordsAt(stage));
    await stage.domain({ rfc2136: { server: second } });
    await stage.turn();
    expect(seen).toEqual([
      [toA, toA, []],
      [[], toA, []],
    ]);
    expect(await stage.ready()).toBe("True Reachable: It leads to a.");
    expect(await oldPlaces(stage)).toBeUndefined();
  });

  test("says which records have yet to be removed, and does so when it can, after a restart too", async () => {
    const stage = await stageOfThree();
    stage.dns.missing.add(first);
    await stage.domain({ rfc2136: { server: second } });
    await stage.turn();
    expect(recordsAt(stage)).toEqual([toA, toA, []]);
    expect(await stage.ready()).toBe(
      "False OldRecords: Its records in example.com at ns1.example.net, where it was before, have yet to be removed. The name server does not answer. spec.deletionPolicy orphan leaves them there.",
    );
    stage.restart();
    await stage.turns(60_000);
    stage.dns.missing.clear();
    await stage.turns(60_000);
    expect(recordsAt(stage)).toEqual([[], toA, []]);
    expect(await stage.ready()).toBe("True Reachable: It leads to a.");
  });

  test("leaves them there where that is wanted", async () => {
    const stage = await stageOfThree();
    await stage.domain({ rfc2136: { server: second }, deletionPolicy: "orphan" });
    await stage.turn();
    expect(recordsAt(stage)).toEqual([toA, toA, []]);
    expect(await stage.ready()).toBe("True Reachable: It leads to a.");
  });

  test.each([
    ["does not answer", (stage: DomainStage) => void stage.dns.missing.add(second), /does not answer/u],
    [
      "has records of somebody else",
      (stage: DomainStage) => stage.dns.set(host, "203.0.113.9", "example.com", second),
      /^False RecordForeign/u,
    ],
  ])("keeps its records right where they are while the new one %s", async (_, hinder, told) => {
    const stage = await stageOfThree();
    hinder(stage);
    await stage.domain({ rfc2136: { server: second } });
    await stage.turns(10_000);
    expect(await stage.ready()).toMatch(told);
    stage.silent.add("192.0.2.1");
    await stage.turns(60_000);
    expect(recordsAt(stage)[0]).toEqual(toB);
    expect(await stage.events()).toEqual([expect.stringMatching(/^FailedOver/u)]);
    stage.dns.missing.clear();
    stage.dns.set(host, undefined, "example.com", second);
    await stage.turns(60_000);
    expect(recordsAt(stage)).toEqual([[], toB, []]);
    expect(await stage.events()).toHaveLength(1);
  });

  test("that is another name of the same one changes nothing", async () => {
    const stage = await stageOfThree();
    stage.dns.apart.clear();
    await stage.domain({ rfc2136: { server: "192.0.2.53" } });
    await stage.turns(1_000);
    stage.dns.changes.length = 0;
    await stage.domain({ rfc2136: { server: "ns.example.com" } });
    await stage.turns(60_000);
    expect(stage.dns.changes).toEqual([]);
    expect(stage.dns.records(host)).toEqual(toA);
    const domain = await stage.store.objects.get(DomainName, "example-com");
    expect(domain?.status.hosts[0]?.place?.server).toBe("ns.example.com");
    expect(await oldPlaces(stage)).toBeUndefined();
  });

  test("goes on and back while the one before cannot be reached, and leaves nothing anywhere", async () => {
    const stage = await stageOfThree();
    stage.dns.isReadOnly = true;
    for (const server of [second, third, first, second]) {
      await stage.domain({ rfc2136: { server } });
      await stage.turn();
    }
    // The others never got any.
    expect(await oldPlaces(stage)).toMatchObject([{ server: first }]);
    stage.restart();
    stage.dns.isReadOnly = false;
    await stage.turns(1_000);
    expect(recordsAt(stage)).toEqual([[], toA, []]);
    stage.dns.missing.add(second);
    await stage.domain({ rfc2136: { server: first } });
    await stage.turn();
    expect(recordsAt(stage)).toEqual([toA, toA, []]);
    stage.dns.missing.clear();
    await stage.store.objects.delete(DomainName, "example-com");
    await stage.turns(30_000);
    expect(stage.dns.size).toBe(0);
    expect(await stage.store.objects.get(DomainName, "example-com")).toBeUndefined();
  });

  test("stays where it is once too many others have yet to be left", async () => {
    const stage = await stageOfThree();
    stage.dns.isReadOnly = true;
    for (let at = 0; at < 10; at += 1) {
      stage.dns.apart.add(`ns${at}.example.org`);
      await stage.domain({ rfc2136: { server: `ns${at}.example.org` } });
      await stage.turn();
    }
    expect(await oldPlaces(stage)).toHaveLength(8);
    expect(await stage.ready()).toBe(
      "False RecordPending: Records of shop.example.com have yet to be removed from 8 other places.",
    );
    stage.dns.isReadOnly = false;
    await stage.turns(60_000);
    expect(stage.dns.size).toBe(1);
    expect(stage.dns.records(host, "example.com", "ns9.example.org")).toEqual(toA);
  });
});
