import type { Cluster } from "@bowline/api";
import { expect, test } from "vitest";

import { clusterHealth } from "./cluster-health.ts";

type Provisioning = NonNullable<Cluster["status"]["provisioning"]>;

/** A cluster without an agent, whose provider is about this. */
function clusterIn(state: Provisioning["state"] | undefined): Cluster {
  const at = "2026-11-19T10:00:00.000Z";
  return {
    apiVersion: "bowline.dev/v1",
    kind: "Cluster",
    metadata: {
      name: "made",
      id: "018f0000-0000-7000-8000-000000000001",
      resourceVersion: "1",
      generation: 1,
      createdAt: at,
      updatedAt: at,
      labels: {},
      annotations: {},
      finalizers: [],
    },
    spec: { provider: state === undefined ? "existing" : "kind" },
    status: {
      ...(state === undefined ? {} : { provisioning: { state } }),
      conditions: [
        {
          type: "Ready",
          status: "False",
          reason: "Something",
          message: "It is so.",
          lastTransitionTime: at,
          observedGeneration: 1,
        },
      ],
    },
  };
}

test.each([
  [undefined, "Missing"],
  ["Pending", "Progressing"],
  ["Creating", "Progressing"],
  ["Joining", "Progressing"],
  ["Blocked", "Degraded"],
  ["Lost", "Degraded"],
] as const)("a cluster that never had an agent, in the state %s, is %s", (state, health) => {
  expect(clusterHealth(clusterIn(state)).health).toBe(health);
});

test("one that is made says why, as its condition does", () => {
  expect(clusterHealth(clusterIn("Creating")).reason).toBe("It is so.");
});
