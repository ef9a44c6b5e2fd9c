import { describe, expect, test } from "vitest";

import { kindOf } from "../observe/kube-message.ts";
import type { NamedResource, WatchedWorkload } from "./watched-workload.ts";
import { wantedKinds } from "./wanted-kinds.ts";

const workload = (name: string, ...kinds: readonly (readonly [string, string])[]): WatchedWorkload => ({
  name,
  uid: name,
  resources: kinds.map(([group, kind], index): NamedResource => ({
    kind: { group, kind },
    namespace: "shop",
    name: `n${index}`,
  })),
});

const keys = (
  workloads: readonly WatchedWorkload[],
  owners: readonly (readonly [string, string])[] = [],
): string[] =>
  [
    ...wantedKinds(
      workloads,
      owners.map(([apiVersion, kind]) => kindOf(apiVersion, kind)),
    ).keys(),
  ].sort();

describe("the kinds to watch", () => {
  test.each<[string, readonly [string, string], string[]]>([
    ["a Deployment", ["apps", "Deployment"], ["/Pod", "apps/Deployment", "apps/ReplicaSet"]],
    ["a StatefulSet", ["apps", "StatefulSet"], ["/Pod", "apps/StatefulSet"]],
    ["a DaemonSet", ["apps", "DaemonSet"], ["/Pod", "apps/DaemonSet"]],
    ["a Job", ["batch", "Job"], ["/Pod", "batch/Job"]],
    ["a CronJob", ["batch", "CronJob"], ["/Pod", "batch/CronJob", "batch/Job"]],
    ["a ReplicationController", ["", "ReplicationController"], ["/Pod", "/ReplicationController"]],
    ["a ConfigMap, which owns nothing", ["", "ConfigMap"], ["/ConfigMap"]],
    ["an Ingress, which owns nothing", ["networking.k8s.io", "Ingress"], ["networking.k8s.io/Ingress"]],
  ])("of %s", (_, kind, expected) => {
    expect(keys([workload("w", kind)])).toEqual(expected);
  });

  test("are none without a workload", () => {
    expect(keys([])).toEqual([]);
    expect(keys([], [["apps/v1", "ReplicaSet"]])).toEqual([]);
  });

  test("are those of all workloads, each once, and of those that one names more is read", () => {
    const deployment = ["apps", "Deployment"] as const;
    const wanted = wantedKinds([
      workload("a", deployment, deployment),
      workload("b", deployment, ["", "Pod"]),
    ]);
    const managedFields = true;
    expect(wanted.get("apps/Deployment")).toMatchObject({ fields: { metadata: { managedFields } } });
    expect(wanted.get("/Pod")).toMatchObject({ fields: { metadata: { managedFields } } });
    expect(wanted.get("apps/ReplicaSet")?.fields["metadata"]).not.toHaveProperty("managedFields");
  });

  test("are, where there is a custom resource, also those that own something, but for nodes", () => {
    const owners = [
      ["apps/v1", "StatefulSet"],
      ["v1", "Node"],
      ["example.com/v1", "WidgetSet"],
    ] as const;
    expect(keys([workload("w", ["", "Service"])], owners)).toEqual(["/Service"]);
    expect(keys([workload("w", ["example.com", "Widget"])], owners)).toEqual([
      "/Pod",
      "apps/StatefulSet",
      "example.com/Widget",
      "example.com/WidgetSet",
    ]);
  });

  test("are not without end, whatever a Workload names", () => {
    const many = Array.from({ length: 2_000 }, (_, index) => ["example.com", `Kind${index}`] as const);
    expect(keys([workload("w", ...many)])).toHaveLength(256);
  });
});
