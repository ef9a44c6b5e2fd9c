import { resources, type KubeObject, type ResourceRef } from "@bowline/kube";
import { describe, expect, it } from "vitest";

import { deployment, podTemplate } from "../objects.ts";
import { sandbox, uniqueName, type Sandbox } from "../sandbox.ts";
import { apiVersionOf, minorVersion, servedResource } from "../served-resource.ts";
import type { RunningTarget } from "../target.ts";

const { coreEvents, daemonSets, deployments, jobs, nodes, replicationControllers, roles } = resources;
const { services, statefulSets } = resources;

const core = { group: "", version: "v1", namespaced: true } as const;
const limitRanges: ResourceRef = { ...core, plural: "limitranges", kind: "LimitRange" };
const scalersV1: ResourceRef = {
  group: "autoscaling",
  version: "v1",
  plural: "horizontalpodautoscalers",
  kind: "HorizontalPodAutoscaler",
  namespaced: true,
};

const templateGeneration = "deprecated.daemonset.template.generation";
const once = { spec: { ...podTemplate({}).spec, restartPolicy: "Never" } };

type NewFields = Record<string, unknown> & { readonly labels?: Record<string, string> };

/** What the server adds to objects by itself. Clients that compare what they wrote with what there is trip over it. */
export function defaultsContract(cluster: () => RunningTarget): void {
  async function create(resource: ResourceRef, body: NewFields, space?: Sandbox): Promise<KubeObject> {
    const { client, namespace } = space ?? (await sandbox(cluster()));
    const place = resource.namespaced ? { name: "a", namespace } : { name: uniqueName("contract") };
    const { labels = {}, ...rest } = body;
    const metadata = { ...place, labels };
    await client.create(resource, {
      apiVersion: apiVersionOf(resource),
      kind: resource.kind,
      metadata,
      ...rest,
    });
    return client.get(resource, place);
  }

  describe("a template", () => {
    it("was created at no time, which servers before 1.34 say", async () => {
      const space = await sandbox(cluster());
      const created = await create(deployments, { spec: deployment({ name: "a" }).spec }, space);
      const times = (await minorVersion(space.client)) < 34 ? { creationTimestamp: null } : {};
      expect(created).toHaveProperty("spec.template.metadata", { labels: { app: "a" }, ...times });
      expect(JSON.stringify(created.metadata.managedFields)).not.toContain("f:creationTimestamp");
    });

    it("gives its labels to a ReplicationController that has none", async () => {
      const created = await create(replicationControllers, { spec: { template: podTemplate({ app: "a" }) } });
      expect(created.metadata.labels).toEqual({ app: "a" });
      expect(created).toHaveProperty("spec.selector", { app: "a" });
    });

    it("of a claim says what it is", async () => {
      const claim = {
        metadata: { name: "data" },
        spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
      };
      const { spec } = deployment({ name: "a" });
      const created = await create(statefulSets, {
        spec: { ...spec, serviceName: "a", volumeClaimTemplates: [claim] },
      });
      expect(created).toMatchObject({
        spec: {
          volumeClaimTemplates: [
            { kind: "PersistentVolumeClaim", apiVersion: "v1", ...claim, status: { phase: "Pending" } },
          ],
        },
      });
    });
  });

  it("a DaemonSet counts the changes of its template, whatever anybody writes", async () => {
    const space = await sandbox(cluster());
    const { selector, template } = deployment({ name: "a" }).spec;
    const created = await create(daemonSets, { spec: { selector, template } }, space);
    expect(created.metadata.annotations).toEqual({ [templateGeneration]: "1" });
    const same = await space.client.update(daemonSets, { ...created, spec: { selector, template } });
    expect(same.metadata).toMatchObject({ annotations: { [templateGeneration]: "1" }, generation: 1 });
    const generations = async (patch: object): Promise<unknown[]> => {
      const target = { namespace: space.namespace, name: "a", type: "merge" } as const;
      const { metadata } = await space.client.patch(daemonSets, patch, target);
      return [metadata.annotations?.[templateGeneration], metadata.generation];
    };
    expect(await generations({ spec: { template: { spec: { hostname: "b" } } } })).toEqual(["2", 2]);
    expect(await generations({ spec: { minReadySeconds: 5 } })).toEqual(["2", 3]);
    expect(await generations({ metadata: { annotations: null } })).toEqual(["2", 3]);
    expect(await generations({ metadata: { annotations: { [templateGeneration]: "9" } } })).toEqual(["2", 3]);
  });

  describe("a Job", () => {
    it("selects its pods by its uid, and carries their labels", async () => {
      const space = await sandbox(cluster());
      const created = await create(jobs, { spec: { template: once } }, space);
      const { uid = "" } = created.metadata;
      const prefix = (await minorVersion(space.client)) >= 27 ? "batch.kubernetes.io/" : "";
      const labels = { "controller-uid": uid, "job-name": "a" };
      expect(created).toMatchObject({
        metadata: { labels },
        spec: {
          selector: { matchLabels: { [`${prefix}controller-uid`]: uid } },
          template: { metadata: { labels } },
          completions: 1,
          parallelism: 1,
          backoffLimit: 6,
        },
      });
    });

    it("keeps labels of its own", async () => {
      const created = await create(jobs, { labels: { a: "b" }, spec: { template: once } });
      expect(created.metadata.labels).toEqual({ a: "b" });
    });

    it("has a generation since its spec can change", async () => {
      const space = await sandbox(cluster());
      const created = await create(jobs, { spec: { template: once } }, space);
      const isOld = (await minorVersion(space.client)) < 23;
      expect(created.metadata.generation).toBe(isOld ? undefined : 1);
    });
  });

  it("a CronJob leaves the defaults of a Job to its jobs", async () => {
    const space = await sandbox(cluster());
    const cronJobs = await servedResource(space.client, "batch", "CronJob");
    const jobTemplate = { spec: { template: once } };
    const created = await create(cronJobs, { spec: { schedule: "* * * * *", jobTemplate } }, space);
    expect(created).toMatchObject({
      spec: {
        concurrencyPolicy: "Allow",
        suspend: false,
        successfulJobsHistoryLimit: 3,
        failedJobsHistoryLimit: 1,
        jobTemplate: { spec: { template: { spec: { dnsPolicy: "ClusterFirst" } } } },
      },
    });
    expect(created).not.toHaveProperty("spec.jobTemplate.spec.completions");
    expect(created).not.toHaveProperty("spec.jobTemplate.spec.backoffLimit");
    expect("generation" in created.metadata).toBe((await minorVersion(space.client)) > 20);
  });

  it("an autoscaler without a target aims at 80 percent of the CPU", async () => {
    const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "a" };
    const created = await create(scalersV1, { spec: { maxReplicas: 3, scaleTargetRef } });
    expect(created).toMatchObject({
      spec: { minReplicas: 1, maxReplicas: 3, targetCPUUtilizationPercentage: 80 },
      status: { currentReplicas: 0, desiredReplicas: 0 },
    });
  });

  it("a Node takes no pods before it is known to work, and can give all it has", async () => {
    const own = { key: "contract", effect: "NoSchedule" };
    const status = { capacity: { cpu: "4" }, conditions: [{ type: "Ready", status: "True" }] };
    expect(await create(nodes, { spec: { taints: [own] }, status })).toMatchObject({
      spec: { taints: [own, { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" }] },
      status: {
        allocatable: { cpu: "4" },
        conditions: [{ type: "Ready", lastHeartbeatTime: null, lastTransitionTime: null }],
        daemonEndpoints: { kubeletEndpoint: { Port: 0 } },
        nodeInfo: { kubeletVersion: "", osImage: "", machineID: "" },
      },
    });
  });

  it("a Service has families of addresses since 1.21", async () => {
    const space = await sandbox(cluster());
    const created = await create(services, { spec: { ports: [{ port: 80 }] } }, space);
    const isOld = (await minorVersion(space.client)) < 21;
    const families = isOld ? {} : { ipFamilies: ["IPv4"], ipFamilyPolicy: "SingleStack" };
    const { ipFamilies, ipFamilyPolicy } = created["spec"] as Record<string, unknown>;
    expect({ ipFamilies, ipFamilyPolicy }).toEqual(families);
  });

  it("an Event shows the times it does not have", async () => {
    const space = await sandbox(cluster());
    const involvedObject = { kind: "Pod", name: "a", namespace: space.namespace };
    expect(await create(coreEvents, { involvedObject }, space)).toMatchObject({
      eventTime: null,
      firstTimestamp: null,
      lastTimestamp: null,
      source: {},
      reportingComponent: "",
      reportingInstance: "",
    });
  });

  it("a Role without rules has none", async () => {
    expect(await create(roles, {})).toHaveProperty("rules", null);
    expect(await create(roles, { rules: [] })).toHaveProperty("rules", null);
  });

  it("a LimitRange derives what containers ask for from what they may use", async () => {
    const limits = [{ type: "Container", max: { cpu: "1", memory: "1Gi" }, default: { cpu: "500m" } }];
    expect(await create(limitRanges, { spec: { limits } })).toMatchObject({
      spec: {
        limits: [
          {
            default: { cpu: "500m", memory: "1Gi" },
            defaultRequest: { cpu: "500m", memory: "1Gi" },
          },
        ],
      },
    });
  });
}
