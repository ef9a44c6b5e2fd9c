import { workloadDefinition } from "@bowline/api";
import {
  appliedDigest,
  connect,
  KubeClient,
  loadKubeconfig,
  resources,
  type ResourceRef,
} from "@bowline/kube";
import { startControlPlane, type ApiServer } from "@bowline/test-cluster";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";

import { Observation } from "../testing/observed-cluster.ts";

/** The observer at a real API server with its controllers: owners, events, drift and metadata as Kubernetes has them. */
let cluster: ApiServer;
let client: KubeClient;

const workloads: ResourceRef = {
  group: "bowline.dev",
  version: "v1alpha1",
  plural: "workloads",
  kind: "Workload",
  namespaced: false,
};
const namespace = "default";
const applied = { fieldManager: "bowline", force: false } as const;

beforeAll(async () => {
  cluster = await startControlPlane();
  const transport = connect(await loadKubeconfig({ paths: [cluster.kubeconfigPath] }));
  client = new KubeClient(transport);
  await cluster.kubectl(["create", "-f", "-"], { input: JSON.stringify(workloadDefinition()) });
  await cluster.kubectl([
    "wait",
    "--for=condition=Established",
    "crd/workloads.bowline.dev",
    "--timeout=150s",
  ]);
  // "Established" comes a moment before the server answers for the new kind.
  await vi.waitFor(() => client.list(workloads), { timeout: 20_000 });
}, 120_000);

afterAll(async () => {
  await client?.transport.close();
  await cluster?.stop();
});

async function name(workload: string, ...named: (readonly [group: string, kind: string, name: string])[]) {
  const list = named.map(([group, kind, each]) => ({ group, version: "v1", kind, namespace, name: each }));
  const spec = { instanceId: "i", revision: "r", resources: list };
  const object = { apiVersion: "bowline.dev/v1alpha1", kind: "Workload", metadata: { name: workload }, spec };
  await client.apply(workloads, object, applied);
}

const deployment = (replicas: number) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace },
  spec: {
    replicas,
    selector: { matchLabels: { app: "web" } },
    template: {
      metadata: { labels: { app: "web" } },
      spec: { containers: [{ name: "web", image: "nowhere.example/web:1" }] },
    },
  },
});

describe("at a real API server", () => {
  test("a Deployment is reported with what it owns, its events and who changed it", async () => {
    await client.apply(resources.deployments, deployment(2), applied);
    await name("shop", ["apps", "Deployment", "web"]);
    const seen = new Observation({ client });
    onTestFinished(() => seen.stop());
    await expect
      .poll(() => seen.state.map((each) => each.split(" ")[0]))
      .toEqual(["Deployment", "Pod", "Pod", "ReplicaSet"]);
    await expect.poll(() => seen.isComplete).toBe(true);
    await expect
      .poll(() => new Set(seen.events.map(({ reason }) => reason)))
      .toEqual(new Set(["ScalingReplicaSet", "SuccessfulCreate", "FailedScheduling"]));
    for (const { firstSeenAt, lastSeenAt, count, workload } of seen.events) {
      expect(Number(firstSeenAt?.seconds)).toBeGreaterThan(1_500_000_000);
      expect(Number(lastSeenAt?.seconds)).toBeGreaterThanOrEqual(Number(firstSeenAt?.seconds));
      expect([Number(count) > 0, workload]).toEqual([true, "shop"]);
    }
    const latest = () => seen.objects.findLast(({ ref }) => ref?.kind === "Deployment");
    const before = latest()?.applied;
    expect(before).toMatch(/^sha256:/u);
    // Status and revision are written by controllers, which is no change of anybody's.
    expect(latest()?.changedBy).toBe("");
    await cluster.kubectl(["set", "image", "deployment/web", "web=nowhere.example/web:2"]);
    await expect.poll(() => latest()?.changedBy).toMatch(/^kubectl/u);
    expect(latest()?.applied).not.toBe(before);
    const right = await client.apply(resources.deployments, deployment(2), { ...applied, force: true });
    await expect.poll(() => latest()?.applied).toBe(appliedDigest(right, applied.fieldManager));
    await cluster.kubectl(["delete", "deployment/web", "--cascade=foreground"]);
    await expect.poll(() => seen.state).toEqual([]);
    expect(seen.observer.problems().size).toBe(0);
  }, 120_000);

  test("of a Secret nothing but its name is read, and it is told that it is there", async () => {
    const canary = "CANARY-7f3a";
    await cluster.kubectl(["create", "secret", "generic", "keys", `--from-literal=password=${canary}`]);
    await name("vault", ["", "Secret", "keys"]);
    const seen = new Observation({ client });
    onTestFinished(() => seen.stop());
    await expect.poll(() => seen.state).toContain("Secret keys of vault");
    expect(seen.facts("keys")).toMatchObject({ facts: 1, kind: "Secret", apiVersion: "v1" });
    expect(JSON.stringify(seen.facts("keys"))).not.toContain(Buffer.from(canary).toString("base64"));
  });
});
