import { readFile } from "node:fs/promises";

import { Cluster, type Author, type SpecOf } from "@bowline/api";
import { resources, type KubeObject } from "@bowline/kube";
import { parseManifests } from "@bowline/manifests";
import {
  advance,
  ClusterApiProvider,
  type ProviderAnswer,
  type ProviderGoal,
  type ProviderWork,
} from "@bowline/providers";
import {
  clustersOf,
  MemoryRecords,
  prepareManagementCluster,
  ReferenceClusterApi,
  testWork,
  worldNamespace as namespace,
} from "@bowline/providers/testing";
import { beforeEach, expect, test } from "vitest";

import { editor, WorkloadHarness, type TestCluster } from "../workloads/testing/workload-harness.ts";
import { clusterApiAccess } from "./cluster-api-access.ts";

type Settings = NonNullable<SpecOf<typeof Cluster>["clusterapi"]>;

const form = { version: "v1beta2" } as const;
const topology = { class: "small", kubernetesVersion: "1.36.4", controlPlaneReplicas: 1 };

let harness: WorkloadHarness;
let management: TestCluster;
let records: MemoryRecords;

beforeEach(async () => {
  harness = await WorkloadHarness.open();
  management = await harness.addCluster("mgmt", { controllers: false });
  await prepareManagementCluster(management.client, [form.version]);
  for (const object of await rightsOfGuide()) {
    await management.client.create(object.kind === "Role" ? resources.roles : resources.roleBindings, object);
  }
  const kubernetes = { user: "cluster-maker", groups: [] };
  await harness.grant("editor", { kubernetes, namespaces: [namespace] });
  records = new MemoryRecords();
});

/** The Role and its binding, as the guide prints them. */
async function rightsOfGuide(): Promise<readonly KubeObject[]> {
  const guide = await readFile(
    new URL("../../../../docs/guides/clusters-by-cluster-api.md", import.meta.url),
    "utf8",
  );
  const [, yaml = ""] = /```yaml\n(apiVersion: rbac[^`]*)```/u.exec(guide) ?? [];
  const { objects, problems } = parseManifests(yaml);
  expect(problems).toEqual([]);
  expect(objects.map(({ kind }) => kind)).toEqual(["Role", "RoleBinding"]);
  return objects.map((object) => ({ ...object, metadata: object.metadata as KubeObject["metadata"] }));
}

async function want(settings: Partial<Settings>, author: Author | "nobody" = editor): Promise<void> {
  const metadata = { name: "web", labels: { tier: "gold" }, annotations: {} };
  const clusterapi = { managementCluster: "mgmt", namespace, ...settings };
  const spec: SpecOf<typeof Cluster> = { provider: "clusterapi", clusterapi };
  const options = author === "nobody" ? {} : { author };
  await harness.store.objects.write(Cluster, "web", () => ({ metadata, spec }), options);
}

async function workOnIt(): Promise<ProviderWork> {
  const cluster = await harness.store.objects.get(Cluster, "web");
  if (cluster === undefined) throw new Error("There is no Cluster web.");
  const { metadata, spec } = cluster;
  const { id, name, labels } = metadata;
  return testWork({ id, name, labels, spec }, { records });
}

async function round(goal: ProviderGoal = "present"): Promise<ProviderAnswer> {
  const { store, clients } = harness;
  return advance(new ClusterApiProvider(clusterApiAccess({ store, clients })), await workOnIt(), goal);
}

/** Its object stays, as it does until its provider says that the cluster is gone. */
async function deleteIt(author: Author): Promise<void> {
  const { objects } = harness.store;
  await objects.writeFinalizers(Cluster, "web", ({ metadata }) => [
    ...(metadata.finalizers ?? []),
    "example.test/stays",
  ]);
  await objects.delete(Cluster, "web", { author });
}

/** Rounds in which Cluster API goes on by one thing each. */
async function rounds(count: number): Promise<ProviderAnswer> {
  const { client } = management;
  const controllers = new ReferenceClusterApi({ client, form, namespace, name: "web" });
  let answer = await round();
  for (let each = 1; each < count; each += 1) {
    await controllers.step();
    answer = await round();
  }
  return answer;
}

test("makes a cluster through the tunnel as its author, with the rights of the guide", async () => {
  await want({ topology });
  expect(await rounds(8)).toMatchObject({ state: "ready" });
  const { store, clients } = harness;
  const { metadata, spec } = (await store.objects.get(Cluster, "web")) ?? {
    metadata: { id: "", labels: {} },
  };
  if (spec === undefined) throw new Error("There is no Cluster web.");
  const work = testWork({ id: metadata.id, name: "web", spec }, { records });
  const provider = new ClusterApiProvider(clusterApiAccess({ store, clients }));
  expect((await provider.credentials(work)).kubeconfig).toContain("token-1-of-web");
  await deleteIt(editor);
  expect(await round("absent")).toMatchObject({ state: "deleting" });
  const live = await management.client.get(clustersOf(form.version), { namespace, name: "web" });
  expect(live.metadata.deletionTimestamp).toBeDefined();
});

test("sends nothing in nobody's name, and nothing for whom no grant covers it", async () => {
  await want({ topology }, "nobody");
  management.requests.length = 0;
  const nobody = await round();
  expect(nobody).toMatchObject({ state: "blocked", reason: "NotPermitted" });
  expect(nobody.message).toContain("write it again");
  await harness.addUser("stranger");
  await want({ topology, namespace: "other" }, { ...editor, user: "stranger" });
  expect(await round()).toMatchObject({ state: "blocked", reason: "NotPermitted" });
  const asPerson = management.requests.filter((request) => request.includes("/namespaces/"));
  expect(asPerson).toEqual([]);
});

test("deletes as the one who deleted it, not as its author", async () => {
  await want({ topology });
  await round();
  await harness.addUser("stranger");
  await deleteIt({ ...editor, user: "stranger" });
  expect(await round("absent")).toMatchObject({ state: "deleting", reason: "NotPermitted" });
  const live = await management.client.get(clustersOf(form.version), { namespace, name: "web" });
  expect(live.metadata.deletionTimestamp).toBeUndefined();
});

test("says what helps a deletion that nobody can do, or for which there is no management cluster", async () => {
  await want({ topology });
  await round();
  await deleteIt({ ...editor, user: "gone" });
  expect((await round("absent")).message).toContain("let somebody else delete it");
  const { store, clients } = harness;
  const { cluster } = await workOnIt();
  const opened = clusterApiAccess({ store, clients }).open("missing", cluster);
  await expect(opened).rejects.toThrow("set spec.deletionPolicy to orphan");
});

const manifests = `
apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: { name: "\${{ cluster.name }}", labels: { tier: "\${{ cluster.labels.tier }}" } }
spec: { infrastructureRef: { name: there-already } }
`;

test("makes the objects of a definition, which know what their cluster is called", async () => {
  await harness.define(manifests);
  await want({ template: { definition: "shop", parameters: {} } });
  await expect.poll(async () => (await rounds(8)).state).toBe("ready");
  const live = await management.client.get(clustersOf(form.version), { namespace, name: "web" });
  expect(live.metadata.labels).toMatchObject({ tier: "gold" });
});

test("says what is wrong with a definition, and runs nobody else's with the rights of the author", async () => {
  await harness.addUser("other");
  await harness.define(manifests, { author: { ...editor, user: "other" } });
  await want({ template: { definition: "shop", parameters: {} } });
  await expect.poll(async () => (await round()).reason).toBe("WaitingForApproval");
  // Whoever writes nothing new is not its author.
  await harness.define(`${manifests}# Looked at.\n`);
  await want({ template: { definition: "shop", parameters: { size: "3" } } });
  await expect.poll(async () => (await round()).reason).toBe("InvalidParameters");
});

test("is not made in itself", async () => {
  await want({ topology });
  await want({ topology, managementCluster: "web" });
  expect(await round()).toMatchObject({ state: "blocked", reason: "ManagementClusterMissing" });
});
