import { Credential } from "@bowline/api";
import { BowlineError } from "@bowline/core";
import { ManualClock } from "@bowline/core/testing";
import type { RecordSet, ZoneWriter } from "@bowline/dns";
import { expect, test } from "vitest";

import { DomainStage } from "./testing/domain-stage.ts";
import { RecordWriter, type ZonePlace } from "./write-records.ts";

const place: ZonePlace = { provider: "rfc2136", zone: "example.com", server: "192.0.2.53" };
const sets: RecordSet[] = [{ type: "A", values: ["192.0.2.1"], ttlSeconds: 60 }];
const hosts = Array.from({ length: 10 }, (_, index) => `host-${index}.example.com`);
const { signal } = new AbortController();
const requireLease = (): void => {};

/** A writer to one zone, in which `put` does what it is told. */
function writerTo(clock: ManualClock, put: (host: string) => Promise<void>): RecordWriter {
  const zone: ZoneWriter = {
    check: () => Promise.resolve(),
    look: () => Promise.resolve({ sets, owner: "me" }),
    put: async (host) => {
      await put(host);
      return { outcome: "kept" };
    },
    remove: () => Promise.resolve("gone"),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  const objects = { reveal: () => Promise.resolve(undefined) };
  return new RecordWriter({ objects, openZone: () => zone, clock, random: () => 0 });
}

test("records that are there are looked at again a few at a time: clusters have to be looked at meanwhile", async () => {
  const clock = new ManualClock();
  const asked: string[] = [];
  const writer = writerTo(clock, async (host) => {
    asked.push(host);
    await clock.advance(1_000);
  });
  const round = async (told: readonly string[]): Promise<string[]> => {
    asked.length = 0;
    await using writing = writer.round({ owner: "me", signal, requireLease });
    for (const host of hosts) expect(await writing.put(place, host, sets, told)).toEqual({ kind: "written" });
    return [...asked];
  };
  const told = ["60 A 192.0.2.1"];
  expect(await round([])).toEqual(hosts);
  expect(await round(told)).toEqual([]);
  await clock.advance(310_000);
  expect(await round(told)).toEqual(hosts.slice(0, 2));
  expect(await round(told)).toEqual(hosts.slice(2, 4));
});

test("a host that others change again and again keeps those of its zone from nothing", async () => {
  const clock = new ManualClock();
  const writer = writerTo(clock, (host) =>
    host === hosts[0]
      ? Promise.reject(new BowlineError("Conflict", "It is changed by somebody else."))
      : Promise.resolve(),
  );
  await using round = writer.round({ owner: "me", signal, requireLease });
  expect(await round.put(place, "host-0.example.com", sets, [])).toMatchObject({ kind: "pending" });
  expect(await round.put(place, "host-1.example.com", sets, [])).toEqual({ kind: "written" });
});

test("nothing is written by one whose work is another's by now", async () => {
  const asked: string[] = [];
  const writer = writerTo(new ManualClock(), (host) => Promise.resolve(void asked.push(host)));
  const lost = (): void => {
    throw new BowlineError("LeaseLost", "Another server has it.");
  };
  await using round = writer.round({ owner: "me", signal, requireLease: lost });
  const late = { code: "LeaseLost" };
  await expect(round.put(place, "host-0.example.com", sets, [])).rejects.toMatchObject(late);
  await expect(round.remove(place, "host-0.example.com")).rejects.toMatchObject(late);
  expect(asked).toEqual([]);
});

test("a round opens a zone once for all of its hosts, and closes it", async () => {
  const open = new Set<object>();
  let opened = 0;
  const openZone = (): ZoneWriter => {
    const zone: ZoneWriter = {
      check: () => Promise.resolve(),
      look: () => Promise.resolve({ sets, owner: "me" }),
      put: () => Promise.resolve({ outcome: "kept" }),
      remove: () => Promise.resolve("gone"),
      [Symbol.asyncDispose]: () => Promise.resolve(void open.delete(zone)),
    };
    opened += 1;
    open.add(zone);
    return zone;
  };
  const { objects } = (await DomainStage.open()).store;
  await objects.create(Credential, {
    metadata: { name: "key", labels: {}, annotations: {} },
    spec: { type: "tsig", data: { name: "key", secret: "c2VjcmV0", algorithm: "hmac-sha256" } },
  });
  const writer = new RecordWriter({ objects, openZone, clock: new ManualClock(), random: () => 0 });
  {
    await using round = writer.round({ owner: "me", signal, requireLease });
    const keyed = { ...place, credential: "key" };
    await Promise.all(hosts.map((host) => round.put(keyed, host, sets, [])));
    expect(opened).toBe(1);
  }
  expect(open.size).toBe(0);
});
