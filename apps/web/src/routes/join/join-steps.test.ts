import type { Cluster, EventRecord } from "@bowline/api";
import { expect, test } from "vitest";

import { isJoined, joinSteps, refusalsIn, type JoinFacts } from "./join-steps.ts";

const at = "2026-01-01T00:00:00.000Z";

function cluster(status: Partial<Cluster["status"]> = {}): Cluster {
  return {
    apiVersion: "bowline.dev/v1",
    kind: "Cluster",
    metadata: {
      id: "019b7a3c-5e2a-7c1e-9b6d-3f1c5a9e2d40",
      name: "edge",
      labels: {},
      annotations: {},
      generation: 1,
      resourceVersion: "1",
      createdAt: at,
      updatedAt: at,
    },
    spec: { provider: "existing" },
    status: { conditions: [], ...status },
  };
}

function condition(type: string, status: "True" | "False"): Cluster["status"]["conditions"][number] {
  return { type, status, reason: "R", message: "", lastTransitionTime: at, observedGeneration: 1 };
}

function event(reason: string, lastSeenAt = at): EventRecord {
  return {
    id: reason + lastSeenAt,
    type: "Normal",
    reason,
    message: `${reason}.`,
    regarding: { kind: "Cluster", name: "edge" },
    source: "gateway",
    count: 1,
    firstSeenAt: at,
    lastSeenAt,
  };
}

const nothing: JoinFacts = {
  cluster: cluster(),
  events: [],
  sessions: [],
  numbers: { phases: [] },
  hasAccess: true,
};
const states = (facts: Partial<JoinFacts>): string[] =>
  joinSteps({ ...nothing, ...facts }).map(({ state }) => state);

test("waits for the agent first", () => {
  expect(states({})).toEqual(["now", "later", "later", "later"]);
  expect(states({ cluster: undefined })).toEqual(["now", "later", "later", "later"]);
  expect(isJoined(joinSteps(nothing))).toBe(false);
});

test("goes on line by line, as the server tells", () => {
  expect(states({ events: [event("AgentJoined")] })).toEqual(["done", "done", "now", "later"]);
  const uid = "11111111-2222-4333-8444-555555555555";
  const connected = cluster({ clusterUid: uid, conditions: [condition("AgentConnected", "True")] });
  expect(states({ cluster: connected })).toEqual(["done", "done", "done", "now"]);
  const numbers = { phases: [], nodes: { count: 2, ready: 2 }, pods: { running: 3, wanted: 4 } };
  const steps = joinSteps({ ...nothing, cluster: connected, numbers });
  expect(steps.map(({ state }) => state)).toEqual(["done", "done", "done", "done"]);
  expect(isJoined(steps)).toBe(true);
  expect(steps[1]?.detail).toContain(uid);
  expect(steps[3]?.detail).toBe("2 of 2 nodes ready, 3 of 4 pods running.");
});

test("says that there was a report to those who may not see its numbers", () => {
  const conditions = [condition("AgentConnected", "True"), condition("Observed", "False")];
  const observed = cluster({ conditions, clusterUid: "u" });
  expect(isJoined(joinSteps({ ...nothing, cluster: observed }))).toBe(false);
  expect(isJoined(joinSteps({ ...nothing, cluster: observed, hasAccess: undefined }))).toBe(false);
  const steps = joinSteps({ ...nothing, cluster: observed, hasAccess: false });
  expect(isJoined(steps)).toBe(true);
  expect(steps[3]?.detail).toContain("once an AccessGrant lets you in");
});

test("says how long the way is, and which replica holds it", () => {
  const numbers = {
    agentVersion: "1",
    instance: "",
    lastSeenAt: at,
    rttMs: 12,
    roundTripsMs: [12],
    isDraining: false,
    tunnels: 1,
    streams: 0,
    receivedBytes: 0,
    sentBytes: 0,
    heldBytes: 0,
  };
  const sessions = [{ id: "s", cluster: "edge", replica: "5b2c1111-2222", openedAt: at, numbers }];
  const conditions = [condition("AgentConnected", "True")];
  const steps = joinSteps({ ...nothing, cluster: cluster({ conditions, clusterUid: "u" }), sessions });
  expect(steps[2]).toMatchObject({ state: "done", detail: "Round trip 12 ms, replica 5b2c1111." });
});

test("an agent that was there and is away is waited for again", () => {
  const conditions = [condition("AgentConnected", "False"), condition("Observed", "True")];
  expect(states({ cluster: cluster({ conditions, clusterUid: "u" }) })).toEqual([
    "done",
    "done",
    "now",
    "later",
  ]);
});

test("refusals are those since the dialog was opened, the latest first", () => {
  const events = [
    event("JoinRefused", "2026-01-01T00:00:05.000Z"),
    event("AgentJoined", "2026-01-01T00:00:07.000Z"),
    event("JoinRefused", "2026-01-01T00:00:09.000Z"),
    event("JoinRefused", "2025-12-31T00:00:00.000Z"),
  ];
  expect(refusalsIn(events, Date.parse(at)).map(({ lastSeenAt }) => lastSeenAt)).toEqual([
    "2026-01-01T00:00:09.000Z",
    "2026-01-01T00:00:05.000Z",
  ]);
});
