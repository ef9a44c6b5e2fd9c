import { resources, type KubeTable, type ResourceRef } from "@bowline/kube";
import { expect, it } from "vitest";

import { configMap, pod } from "../objects.ts";
import { sandbox } from "../sandbox.ts";
import { apiVersionOf, minorVersion, servedResource } from "../served-resource.ts";
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
    ["persistentVolumeClaims", "Name Status Volume Capacity Access Modes StorageClass Age"],
    ["persistentVolumes", "Name Capacity Access Modes Reclaim Policy Status Claim StorageClass Reason Age"],
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
    expect(await columnsAmong(resources[resource], expected)).toBe(expected);
  });

  it.each<[kind: string, group: string, columns: string]>([
    ["ControllerRevision", "apps", "Name Controller Revision Age"],
    ["CronJob", "batch", "Name Schedule Suspend Active Last Schedule Age"],
    ["EndpointSlice", "discovery.k8s.io", "Name AddressType Ports Endpoints Age"],
    ["HorizontalPodAutoscaler", "autoscaling", "Name Reference Targets MinPods MaxPods Replicas Age"],
    ["LimitRange", "", "Name Created At"],
    ["PodDisruptionBudget", "policy", "Name Min Available Max Unavailable Allowed Disruptions Age"],
    ["PriorityClass", "scheduling.k8s.io", "Name Value Global-Default Age"],
  ])("of every %s of the group '%s' have the columns %s", async (kind, group, expected) => {
    const resource = await servedResource(cluster().admin, group, kind);
    expect(await columnsAmong(resource, expected)).toBe(expected);
  });

  it("of service accounts count their Secrets until 1.34", async () => {
    const table = await cluster().admin.listTable(resources.serviceAccounts);
    const counts = (await minorVersion(cluster().admin)) < 35;
    expect(columns(table, 0)).toEqual(counts ? ["Name", "Secrets", "Age"] : ["Name", "Age"]);
  });

  it("of quotas end with their age since 1.33", async () => {
    const table = await cluster().admin.listTable(resources.resourceQuotas);
    const isLast = (await minorVersion(cluster().admin)) >= 33;
    expect(columns(table, 0)).toEqual(
      isLast ? ["Name", "Request", "Limit", "Age"] : ["Name", "Age", "Request", "Limit"],
    );
  });

  it("of jobs tell how they are since 1.31", async () => {
    const table = await cluster().admin.listTable(resources.jobs);
    expect(columns(table, 0).includes("Status")).toBe((await minorVersion(cluster().admin)) >= 31);
  });

  it("tell numbers and truths from words", async () => {
    const { client, namespace } = await sandbox(cluster());
    const cronJobs = await servedResource(client, "batch", "CronJob");
    const template = { spec: { ...pod({}).spec, restartPolicy: "Never" } };
    await client.create(cronJobs, {
      apiVersion: apiVersionOf(cronJobs),
      kind: "CronJob",
      metadata: { namespace, name: "a" },
      spec: { schedule: "0 0 1 1 *", jobTemplate: { spec: { template } } },
    });
    const table = await client.listTable(cronJobs, { namespace });
    const cells = Object.fromEntries(
      table.columnDefinitions.map(({ name, type }, at) => [name, [type, table.rows[0]?.cells[at]]]),
    );
    expect(cells).toMatchObject({
      Name: ["string", "a"],
      Schedule: ["string", "0 0 1 1 *"],
      Suspend: ["boolean", "False"],
      Active: ["integer", 0],
      "Last Schedule": ["string", "<none>"],
      Containers: ["string", "web"],
      Images: ["string", expect.stringContaining("registry.example/")],
      Selector: ["string", "<none>"],
    });
  });

  /** Newer servers put further columns in between. */
  async function columnsAmong(resource: ResourceRef, expected: string): Promise<string> {
    const table = await cluster().admin.listTable(resource);
    const allowed = new Set(expected.split(" "));
    const known = columns(table, 0).filter((name) => name.split(" ").every((word) => allowed.has(word)));
    return known.join(" ");
  }
}

/** Priority 0 is always shown; the rest only in a wide table. */
function columns(table: KubeTable, priority: 0 | 1): string[] {
  return table.columnDefinitions.filter((column) => column.priority === priority).map(({ name }) => name);
}
