import { resources, type KubeTable } from "@bowline/kube";
import { expect, it } from "vitest";

import { configMap, pod } from "../objects.ts";
import { sandbox } from "../sandbox.ts";
import type { RunningTarget } from "../target.ts";

const { configMaps, pods } = resources;

/** What `kubectl get` prints is made by the server. */
export function tablesContract(cluster: () => RunningTarget): void {
  it("hold a row for each object, and its metadata", async () => {
    const { client, namespace } = await sandbox(cluster());
    await client.create(
      configMaps,
      configMap({ namespace, name: "a", labels: { contract: "a" } }, { x: "1", y: "2" }),
    );
    const table = await client.listTable(configMaps, { namespace, labelSelector: "contract" });
    expect(table).toMatchObject({ kind: "Table", apiVersion: "meta.k8s.io/v1" });
    expect(
      table.columnDefinitions.map(({ name, type, format, priority }) => ({ name, type, format, priority })),
    ).toEqual([
      { name: "Name", type: "string", format: "name", priority: 0 },
      { name: "Data", type: "string", format: "", priority: 0 },
      { name: "Age", type: "string", format: "", priority: 0 },
    ]);
    expect(table.rows).toHaveLength(1);
    expect(table.rows[0]?.cells.slice(0, 2)).toEqual(["a", 2]);
    expect(table.rows[0]?.object).toMatchObject({ kind: "PartialObjectMetadata", metadata: { name: "a" } });
    expect(table.rows[0]?.object).not.toHaveProperty("data");
  });

  it("of pods have more columns for a wide screen", async () => {
    const { client, namespace } = await sandbox(cluster());
    await client.create(pods, pod({ namespace, name: "a" }, { nodeSelector: { nowhere: "at-all" } }));
    const table = await client.listTable(pods, { namespace });
    expect(columns(table, 0)).toEqual(["Name", "Ready", "Status", "Restarts", "Age"]);
    expect(columns(table, 1)).toEqual(["IP", "Node", "Nominated Node", "Readiness Gates"]);
    expect(table.rows[0]?.cells.slice(0, 3)).toEqual(["a", "0/1", "Pending"]);
  });

  it.each<[keyof typeof resources, string]>([
    ["namespaces", "Name Status Age"],
    ["nodes", "Name Status Roles Age Version"],
    ["secrets", "Name Type Data Age"],
    ["services", "Name Type Cluster-IP External-IP Port(s) Age"],
    ["serviceAccounts", "Name Secrets Age"],
    ["persistentVolumeClaims", "Name Status Volume Capacity Access Modes StorageClass Age"],
    ["persistentVolumes", "Name Capacity Access Modes Reclaim Policy Status Claim StorageClass Reason Age"],
    ["resourceQuotas", "Name Age Request Limit"],
    ["deployments", "Name Ready Up-to-date Available Age"],
    ["replicaSets", "Name Desired Current Ready Age"],
    ["statefulSets", "Name Ready Age"],
    ["daemonSets", "Name Desired Current Ready Up-to-date Available Node Selector Age"],
    ["jobs", "Name Completions Duration Age"],
    ["ingresses", "Name Class Hosts Address Ports Age"],
    ["ingressClasses", "Name Controller Parameters Age"],
    ["networkPolicies", "Name Pod-Selector Age"],
    ["storageClasses", "Name Provisioner ReclaimPolicy VolumeBindingMode AllowVolumeExpansion Age"],
    ["roles", "Name Created At"],
    ["roleBindings", "Name Role Age"],
    ["leases", "Name Holder Age"],
    ["coreEvents", "Last Seen Type Reason Object Message"],
  ])("of %s have the columns %s", async (resource, expected) => {
    const table = await cluster().admin.listTable(resources[resource]);
    const allowed = new Set(expected.split(" "));
    // Newer servers put further columns in between.
    const known = columns(table, 0).filter((name) => name.split(" ").every((word) => allowed.has(word)));
    expect(known.join(" ")).toBe(expected);
  });
}

/** Priority 0 is always shown; the rest only in a wide table. */
function columns(table: KubeTable, priority: 0 | 1): string[] {
  return table.columnDefinitions.filter((column) => column.priority === priority).map(({ name }) => name);
}
