import type { WorkloadInstance, WorkloadPlacement } from "@bowline/api";
import { workloadDefaults } from "@bowline/api/testing";
import { expect, test } from "vitest";

import { holdsOf } from "./holds.ts";

type Condition = WorkloadInstance["status"]["conditions"][number];

function condition(type: string, status: "True" | "False", reason: string): Condition {
  return {
    type,
    status,
    reason,
    message: `It is ${reason}.`,
    lastTransitionTime: "2026-01-02T09:30:00.000Z",
    observedGeneration: 1,
  };
}

function instance(ready: Condition): Pick<WorkloadInstance, "status"> {
  return { status: { conditions: [ready], clusters: [], clusterCount: 0, readyCount: 0 } };
}

function placement(cluster: string, applied: Condition): Pick<WorkloadPlacement, "spec" | "status"> {
  const secret = { group: "", version: "v1", kind: "Secret", namespace: "shop", health: "Unknown" } as const;
  return {
    spec: {
      instance: "web",
      cluster,
      definition: "web",
      revision: `sha256:${"0".repeat(64)}`,
      actingUser: { user: "editor", method: "token", groups: [] },
      ...workloadDefaults(),
      namespace: "shop",
    },
    status: {
      conditions: [applied],
      resourceCount: 2,
      healthyCount: 2,
      resources: [
        { ...secret, name: "old", state: "held" },
        { ...secret, name: "stays", state: "applied" },
      ],
    },
  };
}

test("prunes are held in each cluster by itself, by name, with what would go", () => {
  const held = condition("Applied", "False", "PruneHeld");
  const holds = holdsOf(instance(condition("Ready", "False", "PruneHeld")), [
    placement("west", held),
    placement("north", condition("Applied", "True", "Applied")),
    placement("east", held),
  ]);
  expect(holds.map(({ cluster, resources }) => [cluster, resources])).toEqual([
    ["east", ["Secret shop/old"]],
    ["west", ["Secret shop/old"]],
  ]);
});

test.each(["WaitingForApproval", "PlacementHeld"])("an instance that is %s is held as a whole", (reason) => {
  expect(holdsOf(instance(condition("Ready", "False", reason)), [])).toEqual([
    { reason, cluster: undefined, message: `It is ${reason}.`, resources: [] },
  ]);
});

test("what is broken in another way is not held", () => {
  expect(holdsOf(instance(condition("Ready", "False", "ImagePullBackOff")), [])).toEqual([]);
});
