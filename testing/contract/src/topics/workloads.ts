import { resources, type KubeClient, type KubeObject, type OwnerReference } from "@bowline/kube";
import { describe, expect, it } from "vitest";

import { deployment, pod, podTemplate, type Pod, type Workload } from "../objects.ts";
import { sandbox, type Sandbox } from "../sandbox.ts";
import { standInKubelet } from "../stand-in-kubelet.ts";
import type { RunningTarget } from "../target.ts";
import { untilGone, untilIs } from "../until.ts";

const { configMaps, coreEvents, deployments, jobs, pods, replicaSets, serviceAccounts, statefulSets } =
  resources;

/** What the controllers make of the objects people write. */
export function workloadsContract(cluster: () => RunningTarget): void {
  describe("a Deployment", () => {
    it("owns a ReplicaSet that owns pods", async () => {
      const space = await sandbox(cluster());
      const { client, namespace } = space;
      using _kubelet = await standInKubelet(cluster(), space);
      const web = await client.create(deployments, deployment({ namespace, name: "web" }, 2));
      await untilAvailable(space, "web", 2);
      const [set] = await listOf(client, replicaSets, namespace);
      expect(set?.metadata.name).toMatch(/^web-[a-z0-9]+$/);
      expect(set?.metadata.ownerReferences).toEqual([ownedBy(web)]);
      expect(set?.metadata.annotations).toMatchObject({
        "deployment.kubernetes.io/revision": "1",
        "deployment.kubernetes.io/desired-replicas": "2",
      });
      const made = await listOf(client, pods, namespace);
      expect(made).toHaveLength(2);
      const hash = set?.metadata.labels?.["pod-template-hash"];
      for (const each of made) {
        expect(each.metadata.name).toMatch(new RegExp(`^${set?.metadata.name}-[a-z0-9]{5}$`));
        expect(each.metadata.generateName).toBe(`${set?.metadata.name}-`);
        expect(each.metadata.ownerReferences).toEqual([ownedBy(set)]);
        expect(each.metadata.labels).toEqual({ app: "web", "pod-template-hash": hash });
      }
    });

    it("tells how far it is", async () => {
      const space = await sandbox(cluster());
      using _kubelet = await standInKubelet(cluster(), space);
      await space.client.create(deployments, deployment({ namespace: space.namespace, name: "web" }, 2));
      const done = await untilAvailable(space, "web", 2);
      expect(done.status).toMatchObject({
        observedGeneration: 1,
        replicas: 2,
        updatedReplicas: 2,
        readyReplicas: 2,
        availableReplicas: 2,
        conditions: expect.arrayContaining([
          expect.objectContaining({ type: "Available", status: "True", reason: "MinimumReplicasAvailable" }),
        ]),
      });
      await untilIs<Workload>({ ...space, resource: deployments, name: "web" }, (web) =>
        hasCondition(web, { type: "Progressing", status: "True", reason: "NewReplicaSetAvailable" }),
      );
    });

    it("rolls out a new template and keeps the old ReplicaSet at zero", async () => {
      const space = await sandbox(cluster());
      const { client, namespace } = space;
      using _kubelet = await standInKubelet(cluster(), space);
      await client.create(deployments, deployment({ namespace, name: "web" }, 2));
      await untilAvailable(space, "web", 2);
      const [before] = await listOf(client, replicaSets, namespace);
      const containers = [{ name: "web", image: "registry.example/web:2" }];
      const patch = { spec: { template: { spec: { containers } } } };
      await client.patch(deployments, patch, { namespace, name: "web", type: "strategic" });
      await untilIs<Workload>({ ...space, resource: deployments, name: "web" }, ({ status }) =>
        isRolledOut(status, 2, 2),
      );
      const old = await untilIs<Workload>(
        { ...space, resource: replicaSets, name: before?.metadata.name ?? "" },
        isEmpty,
      );
      expect(old.spec.replicas).toBe(0);
      const web = await client.get(deployments, { namespace, name: "web" });
      expect(web.metadata.annotations?.["deployment.kubernetes.io/revision"]).toBe("2");
      expect(await listOf(client, replicaSets, namespace)).toHaveLength(2);
    });

    it("scales up and down", async () => {
      const space = await sandbox(cluster());
      const { client, namespace } = space;
      using _kubelet = await standInKubelet(cluster(), space);
      await client.create(deployments, deployment({ namespace, name: "web" }, 1));
      await untilAvailable(space, "web", 1);
      const scale = (replicas: number): Promise<unknown> =>
        client.patch(
          deployments,
          { spec: { replicas } },
          { namespace, name: "web", type: "merge", subresource: "scale" },
        );
      await scale(3);
      await untilAvailable(space, "web", 3);
      await scale(0);
      await untilIs<Workload>(
        { ...space, resource: deployments, name: "web" },
        ({ status }) => (status?.["replicas"] ?? 0) === 0,
      );
      await expect.poll(() => listOf(client, pods, namespace)).toEqual([]);
    });

    it("replaces a pod that is deleted", async () => {
      const space = await sandbox(cluster());
      const { client, namespace } = space;
      using _kubelet = await standInKubelet(cluster(), space);
      await client.create(deployments, deployment({ namespace, name: "web" }, 1));
      await untilAvailable(space, "web", 1);
      const [first] = await listOf(client, pods, namespace);
      const name = first?.metadata.name ?? "";
      await client.delete(pods, { namespace, name, gracePeriodSeconds: 0 });
      await expect
        .poll(async () =>
          (await listOf(client, pods, namespace)).map(({ metadata }) => metadata.name === name),
        )
        .toEqual([false]);
    });

    it("takes everything along when it goes", async () => {
      const space = await sandbox(cluster());
      const { client, namespace } = space;
      using _kubelet = await standInKubelet(cluster(), space);
      await client.create(deployments, deployment({ namespace, name: "web" }, 1));
      await untilAvailable(space, "web", 1);
      const [set] = await listOf(client, replicaSets, namespace);
      await client.delete(deployments, { namespace, name: "web", propagationPolicy: "Foreground" });
      await untilGone({ ...space, resource: deployments, name: "web" });
      await expect(
        client.get(replicaSets, { namespace, name: set?.metadata.name ?? "" }),
      ).rejects.toMatchObject({
        code: "NotFound",
      });
    });

    it("writes events about what it does", async () => {
      const space = await sandbox(cluster());
      const { client, namespace } = space;
      using _kubelet = await standInKubelet(cluster(), space);
      await client.create(deployments, deployment({ namespace, name: "web" }, 1));
      await untilAvailable(space, "web", 1);
      const told = async (): Promise<string[]> =>
        (await listOf(client, coreEvents, namespace)).map(({ type, reason, message }) =>
          [type, reason, message].join(" "),
        );
      await expect
        .poll(told)
        .toEqual(
          expect.arrayContaining([
            expect.stringMatching(/^Normal ScalingReplicaSet Scaled up replica set web-\w+ (from 0 )?to 1$/),
            expect.stringMatching(/^Normal SuccessfulCreate Created pod: web-\w+-\w{5}$/),
          ]),
        );
    });
  });

  describe("a StatefulSet", () => {
    it("makes its pods one after the other, by number", async () => {
      const space = await sandbox(cluster());
      const { client, namespace } = space;
      using _kubelet = await standInKubelet(cluster(), space);
      const labels = { app: "db" };
      await client.create(statefulSets, {
        apiVersion: "apps/v1",
        kind: "StatefulSet",
        metadata: { namespace, name: "db" },
        spec: {
          replicas: 2,
          serviceName: "db",
          selector: { matchLabels: labels },
          template: podTemplate(labels),
        },
      });
      await untilIs<Workload>(
        { ...space, resource: statefulSets, name: "db" },
        ({ status }) => status?.["readyReplicas"] === 2,
      );
      const made = await listOf(client, pods, namespace);
      expect(made.map(({ metadata }) => metadata.name)).toEqual(["db-0", "db-1"]);
      expect(made[0]?.metadata.labels).toMatchObject({ "statefulset.kubernetes.io/pod-name": "db-0" });
      expect(made[0]?.metadata.ownerReferences).toMatchObject([
        { kind: "StatefulSet", name: "db", controller: true },
      ]);
    });
  });

  describe("a Job", () => {
    it("is complete when its pods have succeeded", async () => {
      const space = await sandbox(cluster());
      const { client, namespace } = space;
      using _kubelet = await standInKubelet(cluster(), space);
      const template = podTemplate({});
      await client.create(jobs, {
        apiVersion: "batch/v1",
        kind: "Job",
        metadata: { namespace, name: "once" },
        spec: { template: { spec: { ...template.spec, restartPolicy: "Never" } } },
      });
      const done = await untilIs<Workload>({ ...space, resource: jobs, name: "once" }, (job) =>
        hasCondition(job, { type: "Complete", status: "True" }),
      );
      expect(done.status).toMatchObject({
        succeeded: 1,
        startTime: expect.any(String),
        completionTime: expect.any(String),
      });
      const [made] = await listOf(client, pods, namespace);
      expect(made?.metadata.labels).toMatchObject({ "job-name": "once" });
      expect(made?.metadata.ownerReferences).toMatchObject([{ kind: "Job", name: "once", controller: true }]);
    });
  });

  it("a pod that fits nowhere says so", async () => {
    const space = await sandbox(cluster());
    const { client, namespace } = space;
    await client.create(pods, pod({ namespace, name: "a" }, { nodeSelector: { nowhere: "at-all" } }));
    const waiting = await untilIs<Pod>({ ...space, resource: pods, name: "a" }, (each) =>
      hasCondition(each, { type: "PodScheduled", status: "False", reason: "Unschedulable" }),
    );
    expect(waiting.status?.phase).toBe("Pending");
    await expect
      .poll(async () => (await listOf(client, coreEvents, namespace)).map((event) => event["reason"]))
      .toContain("FailedScheduling");
  });

  it("a namespace gets an account and the certificate of the cluster", async () => {
    const space = await sandbox(cluster());
    await untilIs({ ...space, resource: serviceAccounts, name: "default" }, () => true);
    const certificate = await untilIs(
      { ...space, resource: configMaps, name: "kube-root-ca.crt" },
      () => true,
    );
    expect(certificate).toMatchObject({
      data: { "ca.crt": expect.stringContaining("-----BEGIN CERTIFICATE-----") },
    });
  });
}

function untilAvailable(space: Sandbox, name: string, replicas: number): Promise<Workload> {
  return untilIs<Workload>({ ...space, resource: deployments, name }, ({ status }) => {
    return status?.["availableReplicas"] === replicas && status["replicas"] === replicas;
  });
}

function isRolledOut(status: Workload["status"], replicas: number, generation: number): boolean {
  return (
    status?.["observedGeneration"] === generation &&
    status["updatedReplicas"] === replicas &&
    status["replicas"] === replicas &&
    status["availableReplicas"] === replicas
  );
}

function isEmpty({ status }: Workload): boolean {
  return status?.["replicas"] === 0;
}

function hasCondition(
  object: KubeObject & { status?: Record<string, unknown> },
  wanted: Record<string, string>,
): boolean {
  const conditions = object.status?.["conditions"];
  const matches = (condition: Record<string, unknown>): boolean =>
    Object.entries(wanted).every(([key, value]) => condition[key] === value);
  return Array.isArray(conditions) && conditions.some(matches);
}

async function listOf(client: KubeClient, resource: typeof pods, namespace: string): Promise<KubeObject[]> {
  return (await client.list(resource, { namespace })).items;
}

function ownedBy(owner: KubeObject | undefined): OwnerReference {
  const { apiVersion = "", kind = "", metadata } = owner ?? {};
  const { name = "", uid = "" } = metadata ?? {};
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}
