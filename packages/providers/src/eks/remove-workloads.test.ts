import { startKubesim, type Kubesim } from "@bowline/kubesim";
import { addLoadBalancer } from "@bowline/test-aws";
import { afterEach, beforeEach, expect, test } from "vitest";

import type { ProviderAnswer } from "../provider.ts";
import type { AwsApi } from "./aws/aws-api.ts";
import { SdkApi } from "./aws/sdk-api.ts";
import type { WorkloadRemoval } from "./eks-deletion.ts";
import { DrivenCluster } from "./testing/driven-cluster.ts";
import { openEksWorld, testName, type EksWorld } from "./testing/eks-stage.ts";

const sdk = new SdkApi();
let sim: Kubesim;
let world: EksWorld;
let cluster: DrivenCluster;
/** Tokens that were made for the control plane. */
let tokens: number;

let throughTunnel: Awaited<ReturnType<WorkloadRemoval>>;

/** The control plane lets in whoever has an access entry. */
const api: AwsApi = {
  send: (target, name, input) => sdk.send(target, name, input),
  token: async (target, name) => {
    const made = await sdk.token(target, name);
    tokens += 1;
    if (world.aws.world.accessEntries.all.length > 0) {
      sim.addUser(made.token, { name: "bowline", groups: ["system:masters"] });
    }
    return made;
  },
  [Symbol.asyncDispose]: () => Promise.resolve(),
};

beforeEach(async () => {
  throughTunnel = "unreachable";
  sim = await startKubesim({ anonymous: false });
  // As in a server: nobody says how workloads are removed.
  const tunnel: WorkloadRemoval = () => Promise.resolve(throughTunnel);
  world = await openEksWorld({ provider: { api, removeWorkloads: undefined, tunnel } });
  world.aws.world.settings.endpoint = () => ({ url: sim.url, caCert: sim.caCert });
  cluster = new DrivenCluster(world);
  tokens = 0;
});
afterEach(async () => {
  await world[Symbol.asyncDispose]();
  await sim.stop();
});

const service = (name: string, type: string) => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name, namespace: "default" },
  spec: { type, ports: [{ port: 80 }] },
});

/** As after a restart of the server. */
function anotherProcess(): void {
  cluster = Object.assign(new DrivenCluster(world), { work: cluster.work });
}

test("what has a load balancer is asked to go before its cluster does, once, by whichever process", async () => {
  await cluster.made();
  while (!(await world.provider().revokeCredentials(cluster.wanted))) await world.pass(10_000);
  sim.api.create("services", service("shop", "LoadBalancer"));
  sim.api.create("services", service("inside", "ClusterIP"));
  sim.api.create("persistentvolumeclaims", {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name: "data", namespace: "default" },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  });
  expect(await cluster.round("absent")).toMatchObject({ state: "deleting", reason: "DeletingWorkloads" });
  expect(names()).toEqual(["inside", "kubernetes"]);
  expect(world.aws.world.nodegroups.all).toHaveLength(1);
  await world.pass(10_000);
  await cluster.until({ reason: "DeletingCluster" }, "absent");
  const asked = tokens;
  anotherProcess();
  await cluster.deleted();
  expect(tokens).toBe(asked);
  // Whose data it is was not asked: a volume is told as what is left.
  expect(sim.api.get("persistentvolumeclaims", "default", "data")).toBeDefined();
  expect(world.everything()).toEqual({});
});

test("what gets a load balancer while the nodes go is asked to go as well, by an access that goes again", async () => {
  await cluster.made();
  while (!(await world.provider().revokeCredentials(cluster.wanted))) await world.pass(10_000);
  await cluster.until({ reason: "DeletingCluster" }, "absent");
  sim.api.create("services", service("late", "LoadBalancer"));
  const takeAway = addLoadBalancer(world.aws.world, testName, "late");
  const answer = await cluster.round("absent");
  expect(answer).toMatchObject({ state: "deleting", reason: "WaitingForLoadBalancers" });
  expect(names()).toEqual(["kubernetes"]);
  expect(world.aws.world.clusters.all).toHaveLength(1);
  takeAway();
  await cluster.deleted();
  expect(world.everything()).toEqual({});
  expect(world.aws.world.accessEntries.all).toEqual([]);
});

test("where volumes go, claims are asked to go, and a disk that Kubernetes deletes is waited for", async () => {
  await world[Symbol.asyncDispose]();
  world = await openEksWorld({ provider: { api, removeWorkloads: undefined, deletesVolumes: true } });
  world.aws.world.settings.endpoint = () => ({ url: sim.url, caCert: sim.caCert });
  cluster = new DrivenCluster(world);
  await cluster.made();
  sim.api.create("persistentvolumeclaims", {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name: "data", namespace: "default" },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  });
  for (const persistentVolumeReclaimPolicy of ["Delete", "Retain"]) {
    const made = sim.api.create("persistentvolumes", {
      apiVersion: "v1",
      kind: "PersistentVolume",
      metadata: { name: persistentVolumeReclaimPolicy.toLowerCase() },
      spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], persistentVolumeReclaimPolicy },
    });
    sim.api.updateStatus("persistentvolumes", { ...made, status: { phase: "Released" } });
  }
  for (let round = 0; round < 3; round += 1) {
    expect(await cluster.round("absent")).toMatchObject({ reason: "DeletingWorkloads" });
    await world.pass(10_000);
  }
  expect(sim.api.get("persistentvolumeclaims", "default", "data")).toBeUndefined();
  expect(world.aws.world.nodegroups.all).toHaveLength(1);
  sim.api.delete("persistentvolumes", undefined, "delete");
  expect(await cluster.round("absent")).toMatchObject({ reason: "DeletingCluster" });
  await cluster.deleted();
  expect(world.everything()).toEqual({});
});

test("a cluster that does not answer is not waited for", async () => {
  await cluster.made();
  world.aws.world.settings.endpoint = () => ({ url: "https://127.0.0.1:1", caCert: sim.caCert });
  const told: ProviderAnswer[] = [];
  while (told.at(-1)?.reason !== "DeletingCluster" && told.length < 10) {
    told.push(await cluster.round("absent"));
    await world.pass(10_000);
  }
  expect(told.map(({ reason }) => reason)).toEqual([
    "DeletingWorkloads",
    "DeletingWorkloads",
    "DeletingCluster",
  ]);
  await cluster.deleted();
  expect(world.everything()).toEqual({});
});

test("the tunnel is asked first, and where it is enough nobody asks for another way in", async () => {
  await cluster.made();
  while (!(await world.provider().revokeCredentials(cluster.wanted))) await world.pass(10_000);
  const asked = tokens;
  throughTunnel = "waiting";
  expect(await cluster.round("absent")).toMatchObject({ reason: "DeletingWorkloads" });
  throughTunnel = "done";
  await cluster.deleted();
  expect(tokens).toBe(asked);
});

function names(): unknown[] {
  return [...sim.api.list("services", "default")].map(({ metadata }) => metadata.name);
}
