import {
  AccessGrant,
  Cluster,
  placementName,
  WorkloadDefinition,
  WorkloadInstance,
  WorkloadPlacement,
} from "@bowline/api";
import { asRecord, BowlineError } from "@bowline/core";
import { resources, type KubeClient, type KubeObject } from "@bowline/kube";
import { beforeEach, describe, expect, test } from "vitest";

import { editor, WorkloadHarness, type TestCluster } from "./testing/workload-harness.ts";

const { configMaps, namespaces } = resources;
const workloads = {
  group: "bowline.dev",
  version: "v1alpha1",
  kind: "Workload",
  plural: "workloads",
  namespaced: false,
};

const config = (name: string, value = "1", namespace = "default"): string =>
  `{apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}, namespace: ${namespace}}, data: {a: "${value}"}}\n---\n`;

let harness: WorkloadHarness;
let east: TestCluster;

beforeEach(async () => {
  harness = await WorkloadHarness.open();
  east = await harness.addCluster("east");
});

interface ConfigMap extends KubeObject {
  data?: Record<string, string>;
}

interface Workload extends KubeObject {
  spec?: { resources?: readonly { readonly name: string; readonly uid?: string }[] };
}

/** The Workload in the cluster, as the agent reads it. */
const toldTo = ({ client }: TestCluster): Promise<Workload["spec"]> =>
  client.get<Workload>(workloads, { name: "web" }).then(
    ({ spec }) => spec,
    () => undefined,
  );

async function find(client: KubeClient, name: string, namespace = "default"): Promise<ConfigMap | undefined> {
  try {
    return await client.get<ConfigMap>(configMaps, { namespace, name });
  } catch (error) {
    if (BowlineError.from(error).code === "NotFound") return undefined;
    throw error;
  }
}

const valueOf = async (client: KubeClient, name: string, namespace = "default"): Promise<unknown> =>
  (await find(client, name, namespace))?.data?.["a"];

async function applied(cluster = "east"): Promise<void> {
  await expect.poll(() => harness.condition(cluster), { timeout: 15_000 }).toBe("True Applied");
}

describe("A placement", () => {
  test("is compared every hour as long as no agent reports it, and not afterwards", async () => {
    await harness.define(config("one"));
    await harness.place(["east"]);
    await applied();
    const sent = (): number =>
      east.requests.filter((line) => line.startsWith("PATCH") && line.includes("/configmaps/")).length;
    const report = async (
      healthyCount: number,
      health: "Healthy" | "Unknown",
      healthReason = "NoStatus",
    ): Promise<void> => {
      await harness.store.objects.writeStatus(
        WorkloadPlacement,
        placementName("web", "east"),
        ({ status }) => ({
          ...status,
          health,
          healthyCount,
          resources: status.resources.map((resource) => ({ ...resource, health, healthReason })),
        }),
      );
      // The cluster is told when the placement was looked at.
      await expect
        .poll(
          async () => asRecord((await east.client.get(workloads, { name: "web" }))["status"])["healthyCount"],
        )
        .toBe(healthyCount);
    };
    const hour = 61 * 60_000;
    expect(sent()).toBe(1);
    harness.aheadMs += hour;
    await report(2, "Unknown");
    expect(sent()).toBe(2);
    await report(3, "Healthy");
    harness.aheadMs += hour;
    await report(4, "Healthy");
    expect(sent()).toBe(2);
    // A Secret that the agent may not read is taken for healthy, and nobody sees who changes it.
    await report(5, "Healthy", "NotWatched");
    harness.aheadMs += hour;
    await report(6, "Healthy", "NotWatched");
    expect(sent()).toBe(3);
  });

  test("tells its cluster alone how it does, and all of it where somebody has changed or removed that", async () => {
    await harness.define(config("one"));
    await harness.place(["east"]);
    await applied();
    const named = { resources: [{ name: "one" }] };
    await expect.poll(() => toldTo(east)).toMatchObject(named);
    const report = async (healthyCount: number): Promise<void> => {
      const name = placementName("web", "east");
      await harness.store.objects.writeStatus(WorkloadPlacement, name, ({ status }) => ({
        ...status,
        health: "Healthy" as const,
        healthyCount,
      }));
      await expect
        .poll(async () => {
          const found = await east.client.get(workloads, { name: "web" }).catch(() => undefined);
          return asRecord(found?.["status"])["healthyCount"];
        })
        .toBe(healthyCount);
    };
    const specsSent = (): number =>
      east.requests.filter((line) => /^PATCH \S*\/workloads\/web(\?|\s|$)/u.test(line)).length;
    const before = specsSent();
    await report(2);
    expect([before, specsSent()]).toEqual([1, 1]);
    await east.client.delete(workloads, { name: "web" });
    await report(3);
    expect(await toldTo(east)).toMatchObject(named);
    const options = { name: "web", type: "merge", fieldManager: "kubectl-edit" } as const;
    await east.client.patch(workloads, { spec: { resources: [] } }, options);
    await report(4);
    await expect.poll(() => toldTo(east)).toMatchObject(named);
  });

  test("is applied in each of its clusters for whoever wrote it, and told to the cluster", async () => {
    const west = await harness.addCluster("west");
    await harness.define(config("one") + config("two"));
    await harness.place(["east", "west"]);
    await applied("east");
    await applied("west");
    for (const cluster of [east, west]) {
      const found = await find(cluster.client, "one");
      expect(found?.metadata).toMatchObject({
        labels: { "bowline.dev/instance": "web" },
        managedFields: [{ manager: "bowline", operation: "Apply" }],
      });
      await expect
        .poll(() => toldTo(cluster))
        .toMatchObject({
          resources: [
            {
              group: "",
              version: "v1",
              kind: "ConfigMap",
              namespace: "default",
              name: "one",
              uid: found?.metadata.uid,
            },
            { name: "two" },
          ],
        });
    }
    const record = async () =>
      (await harness.store.audit.list()).items.find(({ proxy }) => proxy?.name === "one");
    await expect.poll(record).toMatchObject({
      actor: { user: "editor" },
      proxy: { verb: "patch", grant: "editor", user: "admin" },
    });
    await expect
      .poll(async () => (await harness.store.objects.get(WorkloadInstance, "web"))?.status)
      .toMatchObject({ clusterCount: 2, clusters: [{ resourceCount: 2 }, { resourceCount: 2 }] });
  });

  test("follows its definition, deletes what is not in it any more, and asks nothing when nothing changed", async () => {
    await harness.define(config("one") + config("two"));
    await harness.place(["east"]);
    await applied();
    await harness.define(config("one", "2"));
    await expect.poll(() => valueOf(east.client, "one")).toBe("2");
    await expect.poll(() => find(east.client, "two")).toBeUndefined();
    await applied();
    const namesTold = async () => (await toldTo(east))?.resources?.map(({ name }) => name);
    await expect.poll(namesTold).toEqual(["one"]);
    const settledRequests = await quiet(east);
    await harness.stop();
    await harness.start();
    await harness.place(["east"], { deletionPolicy: "retain" });
    await applied();
    expect(
      (await quiet(east)).slice(settledRequests.length).filter((line) => line.includes("configmaps")),
    ).toEqual([]);
  });

  test("waits for an agent that is away, and gets the revision that is current when it comes back", async () => {
    await harness.disconnect("east");
    await harness.define(config("one", "1"));
    await harness.place(["east"]);
    await expect.poll(() => harness.condition("east")).toBe("Unknown WaitingForAgent");
    await harness.define(config("one", "2"));
    await expect.poll(async () => (await harness.placement("east"))?.metadata.generation).toBe(2);
    await harness.connect("east");
    await applied();
    expect(await valueOf(east.client, "one")).toBe("2");
  });

  test.each([
    ["opens its tunnel a moment after it has connected", "AgentOffline"],
    ["has just left the replica that is asked for it", "TunnelDraining"],
  ] as const)("does not wait for long, nor call it a failure, when the agent %s", async (_, missing) => {
    harness.missing = missing;
    harness.cut("east");
    await harness.define(config("one"));
    await harness.place(["east"]);
    await expect.poll(() => harness.missed).toBeGreaterThan(0);
    harness.openTunnel("east");
    await expect.poll(() => harness.condition("east"), { timeout: 3_000 }).toBe("True Applied");
    expect(harness.logged).toEqual([]);
  });

  test("that has been removed leaves nothing told in the cluster when its agent goes in the middle of that", async () => {
    await harness.define(config("one"));
    await harness.place(["east"]);
    await applied();
    const refusal = east.sim.faults.failRequests({
      code: 500,
      verb: "delete",
      resource: "workloads.bowline.dev",
    });
    await harness.store.objects.delete(WorkloadInstance, "web");
    await expect.poll(() => refusal.hits).toBeGreaterThan(0);
    await harness.disconnect("east");
    refusal.remove();
    await expect.poll(() => harness.condition("east")).toBe("Unknown WaitingForAgent");
    await harness.connect("east");
    await expect.poll(() => harness.placement("east")).toBeUndefined();
    expect((await east.client.list(workloads)).items).toEqual([]);
  });

  test("is none the worse for a restart of the server, before the agent has connected again", async () => {
    await harness.define(config("one"));
    await harness.place(["east"]);
    await applied();
    await quiet(east);
    const before = await harness.placement("east");
    harness.cut("east");
    await harness.stop();
    await harness.start();
    await harness.place(["east"], { name: "other", namespace: "more" });
    await expect.poll(() => harness.condition("east", "Applied", "other")).toBe("Unknown WaitingForAgent");
    expect((await harness.placement("east"))?.status).toEqual(before?.status);
    expect(harness.logged).toEqual([]);
    await harness.connect("east");
    await expect.poll(() => harness.condition("east", "Applied", "other")).not.toContain("WaitingForAgent");
  });

  test("comes to a cluster that gets the labels, and goes from one that loses them", async () => {
    const west = await harness.addCluster("west");
    const label = (name: string, labels: Record<string, string>) =>
      harness.store.objects.write(Cluster, name, () => ({
        metadata: { name, labels, annotations: {} },
        spec: { provider: "existing" as const },
      }));
    await label("east", { stage: "prod" });
    await harness.define(config("one"));
    const selector = { matchLabels: { stage: "prod" }, matchExpressions: [] };
    await harness.place([], { placement: { selector } });
    await applied("east");
    await label("west", { stage: "prod" });
    await applied("west");
    await label("east", {});
    await expect.poll(() => find(east.client, "one")).toBeUndefined();
    await expect.poll(() => harness.placement("east")).toBeUndefined();
    expect(await valueOf(west.client, "one")).toBe("1");
  });

  test("is removed with its instance, its objects first", async () => {
    await harness.define(config("one"));
    await harness.place(["east"]);
    await applied();
    await harness.store.objects.delete(WorkloadInstance, "web");
    await expect.poll(() => harness.store.objects.get(WorkloadInstance, "web")).toBeUndefined();
    expect(await find(east.client, "one")).toBeUndefined();
    await expect(east.client.get(workloads, { name: "web" })).rejects.toMatchObject({ code: "NotFound" });
    expect(await harness.placement("east")).toBeUndefined();
  });

  test("goes at once from a cluster that it never came to", async () => {
    await harness.disconnect("east");
    await harness.define(config("one"));
    await harness.place(["east"]);
    await expect.poll(() => harness.condition("east")).toBe("Unknown WaitingForAgent");
    await harness.store.objects.delete(WorkloadInstance, "web");
    await expect.poll(() => harness.store.objects.get(WorkloadInstance, "web")).toBeUndefined();
  });

  test("leaves what runs in a cluster that leaves Bowline", async () => {
    const west = await harness.addCluster("west");
    await harness.define(config("one"));
    await harness.place(["east", "west"]);
    await applied("east");
    await applied("west");
    await harness.store.objects.delete(Cluster, "west", { cascade: true });
    await expect.poll(() => harness.store.objects.get(Cluster, "west")).toBeUndefined();
    expect(await find(west.client, "one")).toBeDefined();
    expect(await harness.placement("west")).toBeUndefined();
  });
});

describe("An object that somebody else has changed", () => {
  /** What the agent would report. */
  const report = (changedBy: string) =>
    harness.store.objects.writeStatus(WorkloadPlacement, placementName("web", "east"), ({ status }) => ({
      ...status,
      resources: status.resources.map((resource) =>
        resource.name === "one" ? { ...resource, drifted: { changedBy } } : resource,
      ),
    }));
  const change = (value: string) =>
    east.client.patch(
      configMaps,
      { data: { a: value } },
      {
        namespace: "default",
        name: "one",
        type: "merge",
        fieldManager: "kubectl-edit",
      },
    );

  beforeEach(async () => {
    await harness.define(config("one") + config("two"));
  });

  test("is set right, and nothing else is sent", async () => {
    await harness.place(["east"]);
    await applied();
    const before = (await quiet(east)).length;
    await change("by hand");
    await report("kubectl-edit");
    await expect.poll(() => valueOf(east.client, "one")).toBe("1");
    await expect
      .poll(async () => (await harness.placement("east"))?.status.resources[0]?.drifted)
      .toBeUndefined();
    const sent = (await quiet(east)).slice(before).filter((line) => line.startsWith("PATCH"));
    expect(sent.filter((line) => !/\/(?:configmaps\/one|workloads\/web)\b/u.test(line))).toEqual([]);
  });

  test("is left as it is where that was asked for", async () => {
    await harness.place(["east"], { drift: "report" });
    await applied();
    await change("by hand");
    await report("kubectl-edit");
    await quiet(east);
    expect(await valueOf(east.client, "one")).toBe("by hand");
  });
});

describe("In whose name", () => {
  test("without a grant nothing is applied, and with one it is; taken back, what runs stays", async () => {
    await harness.addUser("other");
    const other = { ...editor, user: "other" };
    await harness.define(config("one"), { author: other });
    await harness.place(["east"], { author: other });
    await expect.poll(() => harness.condition("east")).toBe("False NotGranted");
    expect(await find(east.client, "one")).toBeUndefined();
    await harness.grant("other", { kubernetes: { user: "admin", groups: ["system:masters"] } });
    await applied();
    await harness.store.objects.delete(AccessGrant, "other");
    await harness.define(config("two"), { author: other });
    await expect.poll(() => harness.condition("east")).toBe("False NotGranted");
    expect([await valueOf(east.client, "one"), await find(east.client, "two")]).toEqual(["1", undefined]);
  });

  test("a grant for one namespace brings objects there alone; the others are told one by one", async () => {
    for (const name of ["shop", "bank"]) {
      await east.client.create(namespaces, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
    }
    await harness.addUser("other", {
      kubernetes: { user: "admin", groups: ["system:masters"] },
      namespaces: ["shop"],
    });
    const other = { ...editor, user: "other" };
    await harness.define(config("one", "1", "shop") + config("two", "1", "bank"), { author: other });
    await harness.place(["east"], { author: other });
    await expect.poll(() => harness.condition("east")).toBe("False NotGranted");
    expect(await valueOf(east.client, "one", "shop")).toBe("1");
    expect(await find(east.client, "two", "bank")).toBeUndefined();
    const { resources: told } = (await harness.placement("east"))?.status ?? {};
    expect(told).toMatchObject([
      { name: "two", state: "failed", reason: "NotGranted" },
      { name: "one", state: "applied" },
    ]);
  });

  test("nobody uses somebody else's rights by editing their definition", async () => {
    await harness.define(config("one"));
    await harness.place(["east"]);
    await applied();
    const other = { ...editor, user: "other" };
    await harness.define(config("one", "2"), { author: other });
    await expect
      .poll(
        async () => (await harness.store.objects.get(WorkloadInstance, "web"))?.status.conditions[0]?.reason,
      )
      .toBe("WaitingForApproval");
    expect(await valueOf(east.client, "one")).toBe("1");
    const id = (await harness.store.revisions.list(await definitionId())).items[0]?.id ?? "";
    await harness.place(["east"], { approved: { revision: id } });
    await expect.poll(() => valueOf(east.client, "one")).toBe("2");
  });
});

async function definitionId(): Promise<string> {
  return (await harness.store.objects.get(WorkloadDefinition, "shop"))?.metadata.id ?? "";
}

/** Requests so far, once no more come for a moment. */
async function quiet({ requests }: TestCluster): Promise<string[]> {
  let before = -1;
  await expect
    .poll(
      () => {
        const isQuiet = before === requests.length;
        before = requests.length;
        return isQuiet;
      },
      { interval: 300 },
    )
    .toBe(true);
  return [...requests];
}
