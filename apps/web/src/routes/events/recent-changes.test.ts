import type { EventRecord } from "@bowline/api";
import { expect, test } from "vitest";

import { eventSearch } from "./event-search.ts";
import { recentChanges } from "./recent-changes.ts";

let made = 0;

function event(changed: Partial<EventRecord>): EventRecord {
  made += 1;
  return {
    id: `019b7a3d-0c11-7a52-8f0e-${String(made).padStart(12, "0")}`,
    type: "Normal",
    reason: "Started",
    message: "Started it.",
    regarding: { kind: "Pod", name: "web-1", cluster: "edge" },
    source: "kubernetes",
    count: 1,
    firstSeenAt: "2026-01-02T09:00:00.000Z",
    lastSeenAt: "2026-01-02T10:00:00.000Z",
    ...changed,
  };
}

const since = Date.parse("2026-01-02T09:30:00.000Z");

test("what happened to a workload in a cluster is one line, its reasons counted, the newest first", () => {
  const changes = recentChanges(
    [
      event({ instance: "shop" }),
      event({ instance: "shop", regarding: { kind: "Pod", name: "web-2", cluster: "edge" } }),
      event({ instance: "shop", reason: "BackOff", type: "Warning", lastSeenAt: "2026-01-02T10:05:00.000Z" }),
      event({ instance: "shop", regarding: { kind: "Pod", name: "web-1", cluster: "cloud" } }),
      event({
        regarding: { kind: "Cluster", name: "edge" },
        reason: "AgentConnected",
        lastSeenAt: "2026-01-02T10:10:00.000Z",
      }),
    ],
    since,
  );
  expect(changes.map(({ subject, cluster }) => [subject.kind, subject.name, cluster])).toEqual([
    ["Cluster", "edge", undefined],
    ["WorkloadInstance", "shop", "edge"],
    ["WorkloadInstance", "shop", "cloud"],
  ]);
  expect(changes[1]).toMatchObject({
    hasWarning: true,
    lastSeenAt: "2026-01-02T10:05:00.000Z",
    reasons: [
      { reason: "BackOff", count: 1 },
      { reason: "Started", count: 2 },
    ],
  });
});

test("what is older is left out", () => {
  expect(recentChanges([event({ lastSeenAt: "2026-01-02T09:29:59.000Z" })], since)).toEqual([]);
});

test("an address of the events keeps what the server takes, and nothing else", () => {
  expect(
    eventSearch({ type: "Warning", reason: "BackOff", cluster: "edge", name: 42, span: "6h", limit: 5 }),
  ).toEqual({ type: "Warning", reason: "BackOff", cluster: "edge", name: "42", span: "6h" });
  expect(
    eventSearch({ type: "warning", reason: "no word", kind: "<b>", span: "constructor", cluster: {} }),
  ).toEqual({});
});
