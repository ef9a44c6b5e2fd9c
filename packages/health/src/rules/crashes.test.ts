import { describe, expect, test } from "vitest";

import { healthFacts } from "../facts/health-facts.ts";
import { judge } from "../judge.ts";
import { judgeTree, type JudgedObject } from "../judge-tree.ts";
import { judgedAgainMs, relapseOf } from "./crashes.ts";

const at = (seconds: number): string => new Date(Date.UTC(2026, 0, 1) + seconds * 1_000).toISOString();
const ended = (finishedAt: number): object => ({
  terminated: { exitCode: 3, reason: "Error", message: "the shop is closed", finishedAt: at(finishedAt) },
});

interface Moment {
  readonly restarts: number;
  readonly state: object;
  readonly lastState?: object;
  readonly ready?: boolean;
  readonly probes?: object;
  readonly restartPolicy?: string;
}

function pod({
  restarts,
  state,
  lastState,
  ready = false,
  probes,
  restartPolicy = "Always",
}: Moment): unknown {
  return healthFacts({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "web-1" },
    spec: { restartPolicy, containers: [{ name: "main", ...probes }] },
    status: {
      phase: "Running",
      conditions: [{ type: "Ready", status: ready ? "True" : "False" }],
      containerStatuses: [{ name: "main", ready, restartCount: restarts, state, lastState }],
    },
  });
}

/** A Deployment that wants one pod, and says how many it can count on. */
function deployment(available: number): JudgedObject {
  const status = { observedGeneration: 1, replicas: 1, updatedReplicas: 1, availableReplicas: available };
  const object = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", generation: 1 },
    spec: { replicas: 1 },
    status,
  };
  return { kind: "Deployment", name: "web", verdict: judge(healthFacts(object)) };
}

function judged(facts: unknown, now: Date): JudgedObject {
  return { kind: "Pod", name: "web-1", verdict: judge(facts, now), relapse: relapseOf(facts, now) };
}

const waiting = {
  waiting: { reason: "CrashLoopBackOff", message: "back-off 20s restarting failed container" },
};
const running = (startedAt: number): object => ({ running: { startedAt: at(startedAt) } });
const untimed = { terminated: { exitCode: 3, reason: "Error", message: "the shop is closed" } };
const readiness = { readinessProbe: { exec: {} } };
const once = "Container main has been restarted once and ended with exit code 3: the shop is closed.";
const twice = "Container main has been restarted 2 times and ended with exit code 3: the shop is closed.";

const again: Moment = { restarts: 2, state: running(20), lastState: ended(10) };
const ready = { ...again, ready: true };

describe("a container that fails again and again", () => {
  // Each moment, by its second; a Deployment may count the pod in while it runs.
  test.each<[string, number, Moment, number, string]>([
    ["ended for the second time", 10, { restarts: 1, state: ended(10), lastState: ended(5) }, 0, once],
    ["waits", 12, { restarts: 1, state: waiting, lastState: ended(10) }, 0, once],
    ["runs again", 20, again, 0, twice],
    ["runs, and its probe does not succeed", 28, { ...again, probes: readiness }, 0, twice],
    ["runs and is ready", 21, ready, 0, twice],
    ["runs and is counted in", 21, ready, 1, twice],
    ["has run for a while, and is not counted in yet", 60, ready, 0, twice],
    ["ended for the third time", 22, { restarts: 2, state: ended(22), lastState: ended(10) }, 0, twice],
    ["tells no times", 700, { restarts: 2, state: { running: {} }, lastState: untimed }, 0, twice],
  ])(
    "that %s says so, in the same words until the next restart",
    (_, second, moment, ...[available, message]) => {
      const pods = [judged(pod(moment), new Date(at(second)))];
      expect(judgeTree(deployment(available), pods)).toEqual({
        health: "Degraded",
        reason: "CrashLoopBackOff",
        message: `Pod web-1: ${message}`,
      });
    },
  );

  test.each<[string, number, Moment, number, string]>([
    ["has failed once", 3, { restarts: 0, state: ended(3) }, 0, "ContainerFailed"],
    ["has run for ten seconds, and is counted in", 30, ready, 1, "Available"],
    ["has run for ten minutes, and is not counted in", 610, ready, 0, "RollingOut"],
    [
      "has a probe that fails for ten minutes",
      610,
      { ...again, probes: readiness },
      0,
      "ReadinessProbeFailing",
    ],
    ["is on a node whose clock is wrong", -100, ready, 1, "Available"],
    ["is to be tried until it succeeds", 21, { ...ready, restartPolicy: "OnFailure" }, 0, "RollingOut"],
    ["ended well before", 21, { ...ready, lastState: { terminated: { exitCode: 0 } } }, 0, "RollingOut"],
  ])("but not one that %s", (_, second, moment, ...[available, reason]) => {
    const pods = [judged(pod(moment), new Date(at(second)))];
    expect(judgeTree(deployment(available), pods)).toMatchObject({ reason });
  });

  test("whose end is no failure is one that ends again and again, for a pod that is to run for ever", () => {
    const state = { terminated: { exitCode: 0, reason: "Completed" } };
    const verdict = judge(pod({ restarts: 3, state, lastState: state }));
    expect(verdict).toMatchObject({ health: "Degraded", reason: "CrashLoopBackOff" });
    expect(verdict.message).toContain("restarted 3 times and ended with exit code 0 (Completed)");
  });

  test("of which several do so is told of by the same pod, whichever of them runs at the moment", () => {
    const now = new Date(at(21));
    const down = judged(pod({ restarts: 2, state: waiting, lastState: ended(10) }), now);
    const up = judged(pod(ready), now);
    const one = judgeTree(deployment(0), [down, { ...up, name: "web-2" }]);
    const other = judgeTree(deployment(0), [up, { ...down, name: "web-2" }]);
    expect(one).toMatchObject({ reason: "CrashLoopBackOff", message: `Pod web-1 and 1 more: ${twice}` });
    expect(other).toEqual(one);
  });

  test("in a pod of its own is told of too", () => {
    expect(judgeTree(judged(pod(ready), new Date(at(21))), [])).toMatchObject({ reason: "CrashLoopBackOff" });
    expect(judgeTree(judged(pod(ready), new Date(at(31))), [])).toMatchObject({ reason: "Ready" });
  });
});

test.each<[string, number, Moment, number | undefined]>([
  ["once it has run for ten seconds", 21, ready, 9_000],
  ["once its failure is ten minutes old", 40, ready, 570_000],
  ["never: all is forgotten", 610, ready, undefined],
  ["never: it waits, and the kubelet tells", 21, { ...again, state: waiting }, undefined],
  ["never: it has not failed", 21, { restarts: 0, state: running(20), ready: true }, undefined],
  [
    "never: nobody knows when it was",
    21,
    { ...ready, state: { running: {} }, lastState: untimed },
    undefined,
  ],
])("a pod is judged again without news %s", (_, second, moment, expected) => {
  expect(judgedAgainMs(pod(moment), new Date(at(second)))).toBe(expected);
});
