import type { RolloutStatus, WorkloadInstance } from "@bowline/api";
import { workloadDefaults } from "@bowline/api/testing";
import { expect, test } from "vitest";

import { phaseText, wavesOf } from "./rollout-waves.ts";

const revision = `sha256:${"b".repeat(64)}`;

type ClusterStatus = WorkloadInstance["status"]["clusters"][number];

function rolloutOf(change: Partial<RolloutStatus> = {}): RolloutStatus {
  return {
    change: revision,
    revision,
    phase: "Progressing",
    wave: 2,
    waveCount: 3,
    underWay: [],
    failed: [],
    ...change,
  };
}

function instance(
  clusters: readonly Partial<ClusterStatus>[],
  rollout: RolloutStatus | undefined = rolloutOf(),
): Pick<WorkloadInstance, "spec" | "status"> {
  const selector = { matchLabels: { stage: "canary" }, matchExpressions: [] };
  return {
    spec: {
      definition: "web",
      placement: { selector: { matchLabels: {}, matchExpressions: [] } },
      ...workloadDefaults(),
      namespace: "shop",
      rollout: {
        waves: [
          { clusters: { selector }, soak: "30m", approval: false },
          { clusters: { count: 2 }, soak: "0s", approval: true },
        ],
        maxConcurrent: 500,
        maxFailures: 0,
        deadline: "10m",
        onFailure: "pause",
        offline: "skip",
      },
    },
    status: {
      conditions: [],
      clusterCount: clusters.length,
      readyCount: 0,
      clusters: clusters.map((cluster) => ({
        cluster: "",
        ready: "True",
        resourceCount: 1,
        healthyCount: 1,
        ...cluster,
      })),
      ...(rollout === undefined ? {} : { rollout }),
    },
  };
}

const labels = new Map([["north", { stage: "canary" }]]);

test("each wave has its clusters, by their labels and names, and says how far they are", () => {
  const since = "2026-01-02T09:30:00.000Z";
  const clusters: Partial<ClusterStatus>[] = [
    { cluster: "south", ready: "Unknown", reason: "WaitingForWave", message: "With wave 3." },
    { cluster: "north" },
    { cluster: "east", ready: "Unknown", reason: "Progressing" },
    { cluster: "middle", ready: "False", reason: "ImagePullBackOff" },
  ];
  const rollout = rolloutOf({ underWay: [{ cluster: "east", since }], failed: ["middle"] });
  const waves = wavesOf(instance(clusters, rollout), labels);
  expect(
    waves.map(({ state, members }) => [state, members.map(({ cluster, step }) => [cluster, step])]),
  ).toEqual([
    ["done", [["north", "ready"]]],
    [
      "current",
      [
        ["east", "underWay"],
        ["middle", "failed"],
      ],
    ],
    ["next", [["south", "waits"]]],
  ]);
  expect(waves[0]).toMatchObject({ soak: "30m", needsApproval: false, readyCount: 1 });
  expect(waves[1]).toMatchObject({ needsApproval: true, members: [{ since }, {}] });
});

test("a cluster that waits is not ready with the change, though it is with the revision before", () => {
  const [, , last] = wavesOf(
    instance([{ cluster: "a" }, { cluster: "b" }, { cluster: "c", ready: "True", reason: "RolloutPaused" }]),
    new Map(),
  );
  expect(last).toMatchObject({ readyCount: 0, members: [{ step: "waits" }] });
});

test("after the way back no cluster has the change, and those that failed are told", () => {
  const rollout = rolloutOf({ phase: "RolledBack", wave: 1, failed: ["b"] });
  const [, second] = wavesOf(instance([{ cluster: "a" }, { cluster: "b" }], rollout), labels);
  expect(second?.members.map(({ step }) => step)).toEqual(["back", "failed"]);
  expect(second?.readyCount).toBe(0);
});

test("all waves of a rollout that is complete are done; without a rollout there is none", () => {
  const complete = instance([{ cluster: "a" }], rolloutOf({ phase: "Complete", wave: 3 }));
  expect(wavesOf(complete, labels).map(({ state }) => state)).toEqual(["done", "done"]);
  const { rollout: _, ...status } = complete.status;
  expect(wavesOf({ ...complete, status }, labels)).toEqual([]);
});

test("the phase is told with its wave, or with the failures that stopped it", () => {
  expect(phaseText(rolloutOf({ phase: "WaitingForApproval" }))).toContain("agrees to wave 2 of 3");
  expect(phaseText(rolloutOf({ phase: "Paused", failed: ["a"] }))).toContain("1 cluster has failed");
  expect(phaseText(rolloutOf({ phase: "RolledBack", failed: ["a", "b"], from: revision }))).toBe(
    "Rolled back to the revision before: 2 clusters have failed.",
  );
});
