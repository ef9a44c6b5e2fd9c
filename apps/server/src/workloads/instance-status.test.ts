import { placementName, WorkloadPlacement, type StatusOf } from "@bowline/api";
import { returnedObject } from "@bowline/api/testing";
import { typed } from "@bowline/store";
import { expect, test } from "vitest";

import { readyStatement, summarizeClusters } from "./instance-status.ts";

const revision = `sha256:${"a".repeat(64)}`;

function placement(
  cluster: string,
  status: Partial<StatusOf<typeof WorkloadPlacement>> = {},
): WorkloadPlacement {
  const spec = {
    instance: "web",
    cluster,
    definition: "web",
    revision,
    actingUser: { user: "editor", method: "token", groups: [] },
  };
  const made = returnedObject(WorkloadPlacement, { metadata: { name: placementName("web", cluster) }, spec });
  return typed(WorkloadPlacement, { ...made, status: { ...made.status, ...status } });
}

function ready(
  status: "True" | "False" | "Unknown",
  reason: string,
  message = "",
  observedGeneration = 1,
): Pick<StatusOf<typeof WorkloadPlacement>, "conditions"> {
  const lastTransitionTime = "2026-01-01T00:00:00.000Z";
  return { conditions: [{ type: "Ready", status, reason, message, observedGeneration, lastTransitionTime }] };
}

test("the clusters in trouble come first, and tell why", () => {
  const summary = summarizeClusters({
    waiting: new Map(),
    placements: [
      placement("c", {
        ...ready("True", "Ready"),
        revision,
        health: "Healthy",
        resourceCount: 2,
        healthyCount: 2,
      }),
      placement("b"),
      placement("a", ready("True", "Ready", "", 0)),
      placement("d", ready("False", "ImagePullBackOff", "Pod x: no such image.")),
    ],
    missing: ["e"],
  });
  expect(summary.clusters.map(({ cluster, ready: state, reason }) => [cluster, state, reason])).toEqual([
    ["d", "False", "ImagePullBackOff"],
    ["e", "False", "ClusterNotFound"],
    ["a", "Unknown", "Progressing"],
    ["b", "Unknown", "Progressing"],
    ["c", "True", "Ready"],
  ]);
  expect([summary.clusterCount, summary.readyCount]).toEqual([5, 1]);
  expect(summary.clusters.at(-1)).toMatchObject({
    revision,
    health: "Healthy",
    resourceCount: 2,
    healthyCount: 2,
  });
  expect(readyStatement(summary)).toEqual({
    status: "False",
    reason: "ImagePullBackOff",
    message: "1 of 5 clusters, d: Pod x: no such image.",
  });
});

test("ready is ready everywhere, and nowhere is not ready", () => {
  const good = ready("True", "Ready");
  const one = summarizeClusters({ waiting: new Map(), placements: [placement("a", good)], missing: [] });
  expect(readyStatement(one)).toMatchObject({ status: "True", message: "Applied and healthy in a." });
  const two = summarizeClusters({
    waiting: new Map(),
    placements: [placement("a", good), placement("b", good)],
    missing: [],
  });
  expect(readyStatement(two).message).toBe("Applied and healthy in all 2 clusters.");
  expect(
    readyStatement(summarizeClusters({ waiting: new Map(), placements: [], missing: [] })),
  ).toMatchObject({
    status: "False",
    reason: "NoClusters",
  });
});

test("more clusters than a status has room for are counted", () => {
  const placements = Array.from({ length: 600 }, (_none, index) => placement(`c-${index}`));
  const summary = summarizeClusters({ waiting: new Map(), placements, missing: [] });
  expect([summary.clusters.length, summary.clusterCount]).toEqual([500, 600]);
});
