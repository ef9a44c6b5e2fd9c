import type { WorkloadInstance } from "@bowline/api";
import { workloadDefaults } from "@bowline/api/testing";
import { describe, expect, test } from "vitest";

import { clustersInTrouble, inTrouble, matrixClusters, matrixRow } from "./matrix.ts";
import type { InstanceCluster } from "./workload-health.ts";

type Condition = WorkloadInstance["status"]["conditions"][number];

function instance(
  name: string,
  clusters: readonly Partial<InstanceCluster>[],
  ready: Partial<Condition> = {},
): WorkloadInstance {
  const at = "2026-01-02T09:30:00.000Z";
  return {
    apiVersion: "bowline.dev/v1",
    kind: "WorkloadInstance",
    metadata: {
      name,
      id: `019b7a3d-0c11-7a52-8f0e-${name.padStart(12, "0")}`,
      labels: {},
      annotations: {},
      generation: 1,
      resourceVersion: "1",
      createdAt: at,
      updatedAt: at,
    },
    spec: {
      definition: name,
      placement: { clusters: ["a"] },
      ...workloadDefaults(),
    },
    status: {
      conditions: [
        {
          type: "Ready",
          status: "False",
          reason: "ImagePullBackOff",
          message: "The image is not there.",
          lastTransitionTime: at,
          observedGeneration: 1,
          ...ready,
        },
      ],
      clusters: clusters.map((cluster) => ({
        cluster: "a",
        ready: "False",
        resourceCount: 1,
        healthyCount: 0,
        ...cluster,
      })),
      clusterCount: clusters.length,
      readyCount: 0,
    },
  };
}

describe("a cell", () => {
  test.each<[Partial<InstanceCluster>, string]>([
    [{ ready: "True", health: "Healthy" }, "Healthy"],
    [{ ready: "False", health: "Degraded" }, "Degraded"],
    [{ ready: "False", health: "Progressing" }, "Progressing"],
    // Its objects are well, but the new ones are refused.
    [{ ready: "False", health: "Healthy", reason: "Forbidden" }, "Degraded"],
    [{ ready: "False" }, "Degraded"],
    [{ ready: "Unknown", reason: "Progressing" }, "Progressing"],
    [{ ready: "Unknown", reason: "JustApplied", health: "Unknown" }, "Progressing"],
    [{ ready: "Unknown", reason: "WaitingForAgent", health: "Healthy" }, "Unknown"],
    [{ ready: "Unknown", reason: "WaitingForAgent", health: "Missing" }, "Missing"],
  ])("of %j is %s", (cluster, health) => {
    expect(matrixRow(instance("web", [cluster])).cells.get("a")?.health).toBe(health);
  });
});

describe("a row", () => {
  test("is as its worst cluster, with the reason of the instance", () => {
    const row = matrixRow(
      instance("web", [
        { cluster: "a", ready: "True", health: "Healthy" },
        { cluster: "b", health: "Progressing" },
        { cluster: "c", health: "Degraded" },
      ]),
    );
    expect(row.overall).toMatchObject({ health: "Degraded", reason: "ImagePullBackOff" });
    expect(clustersInTrouble(row).map(({ cluster }) => cluster)).toEqual(["c", "b"]);
  });

  test.each<[Partial<Condition>, string]>([
    [{ status: "True", reason: "Ready" }, "Healthy"],
    [{ status: "False", reason: "NoClusters" }, "Missing"],
    [{ status: "False", reason: "DefinitionNotFound" }, "Degraded"],
    [{ status: "Unknown", reason: "Resolving" }, "Progressing"],
  ])("in no cluster with %j is %s", (ready, health) => {
    expect(matrixRow(instance("web", [], ready)).overall.health).toBe(health);
  });

  test("that is being deleted is on its way, whatever its clusters say", () => {
    const web = instance("web", [{ health: "Degraded" }]);
    const going = { ...web, metadata: { ...web.metadata, deletedAt: "2026-01-02T10:00:00.000Z" } };
    expect(matrixRow(going).overall).toMatchObject({ health: "Progressing", reason: "Deleting" });
  });

  test("that nobody has looked at is unknown", () => {
    const web = instance("web", []);
    expect(matrixRow({ ...web, status: { ...web.status, conditions: [] } }).overall.health).toBe("Unknown");
  });

  test("is made once for each state of an object", () => {
    const web = instance("web", [{ health: "Degraded" }]);
    expect(matrixRow(web)).toBe(matrixRow(web));
    expect(matrixRow({ ...web })).not.toBe(matrixRow(web));
  });
});

test("columns are all clusters, those that are not there among them, by name with numbers as numbers", () => {
  const web = instance("web", [{ cluster: "edge-10" }, { cluster: "gone" }]);
  expect(matrixClusters([web], ["edge-2", "edge-10"])).toEqual(["edge-2", "edge-10", "gone"]);
});

test("those in trouble are the worst first, of the same by name, without those that are well", () => {
  const names = inTrouble([
    instance("slow", [{ health: "Progressing" }]),
    instance("fine", [{ ready: "True", health: "Healthy" }], { status: "True" }),
    instance("worse", [{ health: "Degraded" }]),
    instance("bad", [{ health: "Degraded" }]),
  ]).map((row) => row.instance.metadata.name);
  expect(names).toEqual(["bad", "worse", "slow"]);
});
