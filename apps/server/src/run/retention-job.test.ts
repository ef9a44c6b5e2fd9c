import { ManualClock } from "@bowline/core/testing";
import { MemoryLeaseStore } from "@bowline/runtime/testing";
import { beforeEach, describe, expect, test } from "vitest";

import type { Pruned, RetentionPolicy } from "@bowline/store";
import { runRetention } from "./retention-job.ts";

const nothing: Pruned = {
  changes: 0,
  audit: 0,
  events: 0,
  answers: 0,
  leases: 0,
  joinTokens: 0,
  agents: 0,
  revisions: 0,
  blobs: 0,
  graph: 0,
};
const policy: RetentionPolicy = { changesMs: 1, auditMs: 2, eventsMs: 3 };
const intervalMs = 600_000;

let clock: ManualClock;
let leases: MemoryLeaseStore;
let stop: AbortController;
let calls: { owner: string; policy: RetentionPolicy; atMs: number }[];
let errors: string[];

beforeEach(() => {
  clock = new ManualClock(0);
  leases = new MemoryLeaseStore(clock);
  stop = new AbortController();
  calls = [];
  errors = [];
});

function start(owner: string, prune: () => Promise<Pruned> = () => Promise.resolve(nothing)): Promise<void> {
  const retention = {
    prune: (given: RetentionPolicy) => {
      calls.push({ owner, policy: given, atMs: clock.now() });
      return prune();
    },
  };
  return runRetention(
    {
      retention,
      leases,
      policy,
      intervalMs,
      owner,
      clock,
      random: () => 0.5,
      onPruned: () => {},
      onError: ({ message }) => errors.push(message),
    },
    stop.signal,
  );
}

describe("retention", () => {
  test("deletes by the policy at every interval, and stops when it is told to", async () => {
    const running = start("a");
    await clock.advance(intervalMs);
    expect(calls).toEqual([{ owner: "a", policy, atMs: 0.95 * intervalMs }]);
    await clock.advance(9 * intervalMs);
    expect(calls).toHaveLength(10);
    stop.abort();
    await running;
    expect(clock.pending).toBe(0);
  });

  test("is done by one replica at a time, and by another when that is gone", async () => {
    const others = [start("a"), start("b"), start("c")];
    await clock.advance(3 * intervalMs);
    expect(calls).toHaveLength(3);
    stop.abort();
    await Promise.all(others);
    stop = new AbortController();
    const later = start("d");
    await clock.advance(2 * intervalMs);
    expect(calls.slice(3).map(({ owner }) => owner)).toContain("d");
    stop.abort();
    await later;
  });

  test("goes on after a failure", async () => {
    const running = start("a", () => Promise.reject(new Error("no database")));
    await clock.advance(2 * intervalMs);
    expect(errors).toEqual(["no database", "no database"]);
    stop.abort();
    await running;
  });
});
