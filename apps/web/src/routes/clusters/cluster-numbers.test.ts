import type { AgentSession, ClusterView } from "@bowline/api";
import { expect, test } from "vitest";

import { clusterNumbers, roundTripsOf } from "./cluster-numbers.ts";

function views(
  ...told: readonly [name: string, numbers: Record<string, number>][]
): Map<string, ClusterView> {
  const updatedAt = "2026-01-01T00:00:00Z";
  return new Map(
    told.map(([name, numbers]) => [`edge/${name}`, { cluster: "edge", name, updatedAt, numbers }]),
  );
}

test("counts pods that should run, and not those that have done their work", () => {
  const seen = views(
    ["nodes", { count: 3, ready: 2, unschedulable: 0 }],
    ["pods-by-phase", { Pending: 2, Running: 9, Succeeded: 40, Failed: 1 }],
  );
  expect(clusterNumbers(seen, "edge")).toEqual({
    nodes: { count: 3, ready: 2 },
    pods: { running: 9, wanted: 12 },
    phases: [
      ["Succeeded", 40],
      ["Running", 9],
      ["Pending", 2],
      ["Failed", 1],
    ],
  });
});

test("knows nothing of what was not told, and tells it from none", () => {
  expect(clusterNumbers(views(), "edge")).toEqual({ nodes: undefined, pods: undefined, phases: [] });
  expect(clusterNumbers(views(["pods-by-phase", {}]), "edge").pods).toEqual({ running: 0, wanted: 0 });
  expect(clusterNumbers(views(["nodes", { count: 1 }]), "other").nodes).toBeUndefined();
});

function session(cluster: string, rttMs: number | undefined, lastSeenAt: string): AgentSession {
  const numbers = {
    agentVersion: "1",
    instance: "",
    lastSeenAt,
    roundTripsMs: rttMs === undefined ? [] : [rttMs],
    isDraining: false,
    tunnels: 1,
    streams: 0,
    receivedBytes: 0,
    sentBytes: 0,
    heldBytes: 0,
  };
  return {
    id: "s",
    cluster,
    openedAt: lastSeenAt,
    numbers: rttMs === undefined ? numbers : { ...numbers, rttMs },
  };
}

test("takes the quickest way to a cluster, and the last word of any of its agents", () => {
  const sessions = [
    session("edge", undefined, "2026-01-01T00:00:03Z"),
    session("edge", 30, "2026-01-01T00:00:02Z"),
    session("edge", 9, "2026-01-01T00:00:01Z"),
    session("prod", 1, "2026-01-01T00:00:09Z"),
    { id: "elsewhere", cluster: "edge", openedAt: "2026-01-01T00:00:00Z" },
  ];
  expect(roundTripsOf(sessions, "edge")).toEqual({
    rttMs: 9,
    history: [9],
    lastSeenAt: "2026-01-01T00:00:03Z",
  });
  expect(roundTripsOf(sessions, "other")).toEqual({ rttMs: undefined, history: [], lastSeenAt: undefined });
});
