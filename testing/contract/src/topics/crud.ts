import { resources, type KubeObject } from "@bowline/kube";
import { describe, expect, it } from "vitest";

import { configMap, deployment, pod } from "../objects.ts";
import { sandbox } from "../sandbox.ts";
import type { RunningTarget } from "../target.ts";

const { configMaps, deployments, leases, namespaces, persistentVolumeClaims, pods, secrets, services } =
  resources;

export function crudContract(cluster: () => RunningTarget): void {
  describe("create and get", () => {
    it("fills in what the server knows, and gives back the same object on get", async () => {
      const { client, namespace } = await sandbox(cluster());
      const created = await client.create(configMaps, configMap({ namespace, name: "a" }, { key: "value" }));
      expect(created).toMatchObject({ apiVersion: "v1", kind: "ConfigMap", data: { key: "value" } });
      expect(created.metadata.uid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/);
      expect(created.metadata.creationTimestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
      expect(created.metadata.resourceVersion).toMatch(/^[1-9]\d*$/);
      expect(created.metadata).not.toHaveProperty("generation");
      expect(await client.get(configMaps, { namespace, name: "a" })).toEqual(created);
    });

    it("overrules a uid and a creation time that the caller invents", async () => {
      const { client, namespace } = await sandbox(cluster());
      const invented = { uid: "1", creationTimestamp: "2001-01-01T00:00:00Z" };
      const created = await client.create(configMaps, configMap({ namespace, name: "a", ...invented }));
      expect(created.metadata.uid).toHaveLength(36);
      expect(created.metadata.creationTimestamp).not.toBe(invented.creationTimestamp);
    });

    it("refuses a second object of the same name", async () => {
      const { client, namespace } = await sandbox(cluster());
      await client.create(configMaps, configMap({ namespace, name: "a" }));
      await expect(client.create(configMaps, configMap({ namespace, name: "a" }))).rejects.toMatchObject({
        code: "AlreadyExists",
        details: { httpStatus: 409, reason: "AlreadyExists", kind: "configmaps", name: "a" },
      });
    });

    it("says what was not found", async () => {
      const { client, namespace } = await sandbox(cluster());
      await expect(client.get(deployments, { namespace, name: "a" })).rejects.toMatchObject({
        code: "NotFound",
        message: expect.stringContaining('deployments.apps "a" not found'),
        details: { httpStatus: 404, reason: "NotFound", kind: "deployments", name: "a" },
      });
    });

    it("answers 404 for a resource that is not served", async () => {
      const { client, namespace } = await sandbox(cluster());
      const gadgets = {
        group: "example.com",
        version: "v1",
        plural: "gadgets",
        kind: "Gadget",
        namespaced: true,
      };
      await expect(client.list(gadgets, { namespace })).rejects.toMatchObject({ code: "NotFound" });
    });

    it("appends five characters to generateName", async () => {
      const { client, namespace } = await sandbox(cluster());
      const one = await client.create(configMaps, configMap({ namespace, generateName: "job-" }));
      const two = await client.create(configMaps, configMap({ namespace, generateName: "job-" }));
      expect(one.metadata.name).toMatch(/^job-[a-z0-9]{5}$/);
      expect(one.metadata.generateName).toBe("job-");
      expect(two.metadata.name).not.toBe(one.metadata.name);
    });

    it("stores nothing in a dry run", async () => {
      const { client, namespace } = await sandbox(cluster());
      const dry = await client.create(configMaps, configMap({ namespace, name: "a" }), { dryRun: true });
      expect(dry.metadata.uid).toHaveLength(36);
      await expect(client.get(configMaps, { namespace, name: "a" })).rejects.toMatchObject({
        code: "NotFound",
      });
    });

    it("fills in defaults", async () => {
      const { client, namespace } = await sandbox(cluster());
      expect(await client.create(pods, pod({ namespace, name: "a" }))).toMatchObject({
        spec: { restartPolicy: "Always", dnsPolicy: "ClusterFirst", terminationGracePeriodSeconds: 30 },
        status: { phase: "Pending", qosClass: "BestEffort" },
      });
      expect(await client.create(deployments, deployment({ namespace, name: "a" }))).toMatchObject({
        metadata: { generation: 1 },
        spec: {
          replicas: 1,
          revisionHistoryLimit: 10,
          progressDeadlineSeconds: 600,
          strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%", maxUnavailable: "25%" } },
        },
      });
    });

    it("gives a Service an address and a protocol, and a Secret its data", async () => {
      const { client, namespace } = await sandbox(cluster());
      const service = {
        apiVersion: "v1",
        kind: "Service",
        metadata: { namespace, name: "a" },
        spec: { ports: [{ port: 80 }] },
      };
      expect(await client.create(services, service)).toMatchObject({
        spec: {
          type: "ClusterIP",
          clusterIP: expect.stringMatching(/^10\.\d+\.\d+\.\d+$/),
          sessionAffinity: "None",
          ports: [{ port: 80, targetPort: 80, protocol: "TCP" }],
        },
      });
      const secret = {
        apiVersion: "v1",
        kind: "Secret",
        metadata: { namespace, name: "a" },
        stringData: { password: "hush" },
      };
      const stored = await client.create(secrets, secret);
      expect(stored).toMatchObject({ type: "Opaque", data: { password: "aHVzaA==" } });
      expect(stored).not.toHaveProperty("stringData");
    });

    it("writes quantities in their shortest form", async () => {
      const { client, namespace } = await sandbox(cluster());
      const requests = { cpu: "0.5", memory: "1024Mi" };
      const limits = { cpu: "1500m", memory: "4000000000", "example.com/things": 2 };
      const containers = [{ name: "web", image: "web:1", resources: { requests, limits } }];
      expect(await client.create(pods, pod({ namespace, name: "a" }, { containers }))).toMatchObject({
        spec: {
          containers: [
            {
              resources: {
                requests: { cpu: "500m", memory: "1Gi" },
                limits: { cpu: "1500m", memory: "4G", "example.com/things": "2" },
              },
            },
          ],
        },
      });
    });

    it("drops fields it does not know, in metadata too", async () => {
      const { client, namespace } = await sandbox(cluster());
      const made: KubeObject = { ...configMap({ namespace, name: "a" }), extra: true };
      Object.assign(made.metadata, { extra: true });
      const created = await client.create(configMaps, made);
      expect(created).not.toHaveProperty("extra");
      expect(created).not.toHaveProperty("metadata.extra");
    });

    it("protects a claim with a finalizer", async () => {
      const { client, namespace } = await sandbox(cluster());
      const claim = await client.create(persistentVolumeClaims, {
        apiVersion: "v1",
        kind: "PersistentVolumeClaim",
        metadata: { namespace, name: "a" },
        spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
      });
      expect(claim).toMatchObject({
        metadata: { finalizers: ["kubernetes.io/pvc-protection"] },
        spec: { volumeMode: "Filesystem" },
        status: { phase: "Pending" },
      });
    });

    it("makes an active namespace with the finalizer that empties it", async () => {
      const { client, namespace } = await sandbox(cluster());
      expect(await client.get(namespaces, { name: namespace })).toMatchObject({
        spec: { finalizers: ["kubernetes"] },
        status: { phase: "Active" },
      });
    });
  });

  describe("update", () => {
    it("writes a new version and keeps uid and creation time", async () => {
      const { client, namespace } = await sandbox(cluster());
      const created = await client.create(configMaps, configMap({ namespace, name: "a" }, { key: "old" }));
      const updated = await client.update(configMaps, { ...created, data: { key: "new" } });
      expect(updated.data).toEqual({ key: "new" });
      expect(updated.metadata.uid).toBe(created.metadata.uid);
      expect(updated.metadata.creationTimestamp).toBe(created.metadata.creationTimestamp);
      expect(Number(updated.metadata.resourceVersion)).toBeGreaterThan(
        Number(created.metadata.resourceVersion),
      );
    });

    it("is a conflict when somebody was faster", async () => {
      const { client, namespace } = await sandbox(cluster());
      const created = await client.create(configMaps, configMap({ namespace, name: "a" }));
      await client.update(configMaps, { ...created, data: { who: "faster" } });
      await expect(client.update(configMaps, { ...created, data: { who: "slower" } })).rejects.toMatchObject({
        code: "Conflict",
        message: expect.stringContaining("the object has been modified"),
        details: { httpStatus: 409, reason: "Conflict", kind: "configmaps", name: "a" },
      });
    });

    it("needs no version for a ConfigMap, but does for a Lease", async () => {
      const { client, namespace } = await sandbox(cluster());
      await client.create(configMaps, configMap({ namespace, name: "a" }));
      expect(
        await client.update(configMaps, configMap({ namespace, name: "a" }, { key: "new" })),
      ).toMatchObject({
        data: { key: "new" },
      });
      const lease = {
        apiVersion: "coordination.k8s.io/v1",
        kind: "Lease",
        metadata: { namespace, name: "a" },
        spec: {},
      };
      await client.create(leases, lease);
      await expect(client.update(leases, { ...lease, spec: { holderIdentity: "me" } })).rejects.toMatchObject(
        {
          code: "Invalid",
          details: { causes: [{ field: "metadata.resourceVersion" }] },
        },
      );
    });

    it("is a conflict when the uid is another object's", async () => {
      const { client, namespace } = await sandbox(cluster());
      await client.create(configMaps, configMap({ namespace, name: "a" }));
      const other = configMap({ namespace, name: "a", uid: "11111111-1111-4111-8111-111111111111" });
      await expect(client.update(configMaps, other)).rejects.toMatchObject({
        code: "Conflict",
        message: expect.stringContaining("Precondition failed: UID in precondition"),
      });
    });

    it("keeps the version when nothing changed", async () => {
      const { client, namespace } = await sandbox(cluster());
      const created = await client.create(configMaps, configMap({ namespace, name: "a" }, { key: "value" }));
      expect(await client.update(configMaps, created)).toEqual(created);
    });

    it("creates nothing", async () => {
      const { client, namespace } = await sandbox(cluster());
      await expect(client.update(configMaps, configMap({ namespace, name: "a" }))).rejects.toMatchObject({
        code: "NotFound",
      });
    });

    it("needs the name of the path and of the object to agree", async () => {
      const { client, namespace } = await sandbox(cluster());
      await client.create(configMaps, configMap({ namespace, name: "a" }));
      const renamed = client.requestJson({
        method: "PUT",
        path: `/api/v1/namespaces/${namespace}/configmaps/a`,
        headers: { "content-type": "application/json" },
        body: JSON.stringify(configMap({ namespace, name: "b" })),
      });
      await expect(renamed).rejects.toMatchObject({
        code: "BadRequest",
        message: expect.stringContaining("the name of the object (b) does not match the name on the URL (a)"),
      });
    });

    it("counts generations by changes of spec alone", async () => {
      const { client, namespace } = await sandbox(cluster());
      const target = { namespace, name: "a", type: "merge" } as const;
      const created = await client.create(deployments, deployment({ namespace, name: "a" }, 0));
      expect(created.metadata.generation).toBe(1);
      const labelled = await client.patch(deployments, { metadata: { labels: { a: "b" } } }, target);
      expect(labelled.metadata.generation).toBe(1);
      const scaled = await client.patch(deployments, { spec: { paused: true } }, target);
      expect(scaled.metadata.generation).toBe(2);
      const reported = await client.patch(
        deployments,
        { status: { observedGeneration: 2 }, spec: { minReadySeconds: 9 } },
        { ...target, subresource: "status" },
      );
      expect(reported).toMatchObject({ metadata: { generation: 2 }, status: { observedGeneration: 2 } });
      expect(reported).not.toHaveProperty("spec.minReadySeconds");
      const ignored = await client.patch(deployments, { status: { observedGeneration: 1 } }, target);
      expect(ignored).toMatchObject({ metadata: { generation: 2 }, status: { observedGeneration: 2 } });
    });
  });
}
