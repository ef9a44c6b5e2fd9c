import { resources, type ResourceRef } from "@bowline/kube";
import { expect, it } from "vitest";

import { podTemplate, type Pod, type Workload } from "../objects.ts";
import { sandbox, type Sandbox } from "../sandbox.ts";
import { disguise, standInNode, type StandInNode } from "../stand-in-node.ts";
import type { RunningTarget } from "../target.ts";
import { untilIs } from "../until.ts";

const { daemonSets, pods } = resources;
const controllerRevisions: ResourceRef = {
  group: "apps",
  version: "v1",
  plural: "controllerrevisions",
  kind: "ControllerRevision",
  namespaced: true,
};

/** One pod for every node that fits. No machine runs these: what they do after they are bound the tests say. */
export function daemonSetsContract(cluster: () => RunningTarget): void {
  it("bind a pod to the node, and bear with its troubles", async () => {
    const space = await sandbox(cluster());
    await using node = await standInNode(space.client);
    await createAgent(space, node);
    const { status } = await untilPlaced(space);
    expect(status).toMatchObject({ observedGeneration: 1, numberMisscheduled: 0, numberReady: 0 });
    const [made] = await podsIn(space);
    const bound = await untilIs<Pod>(
      { ...space, resource: pods, name: made?.metadata.name ?? "" },
      ({ spec }) => Boolean(spec["nodeName"]),
    );
    expect(bound.spec["nodeName"]).toBe(node.name);
    expect(bound.metadata.name).toMatch(/^agent-[a-z0-9]{5}$/);
    expect(bound.metadata.ownerReferences).toMatchObject([
      { kind: "DaemonSet", name: "agent", controller: true, blockOwnerDeletion: true },
    ]);
    expect(bound.metadata.labels).toEqual({
      app: "agent",
      "controller-revision-hash": expect.stringMatching(/^[a-z0-9]+$/),
      "pod-template-generation": "1",
    });
    expect(bound.spec).toMatchObject({
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [
              { matchFields: [{ key: "metadata.name", operator: "In", values: [node.name] }] },
            ],
          },
        },
      },
      tolerations: expect.arrayContaining([
        { key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute" },
        { key: "node.kubernetes.io/unschedulable", operator: "Exists", effect: "NoSchedule" },
      ]),
    });
  });

  it("count their pods that are ready", async () => {
    const space = await sandbox(cluster());
    await using node = await standInNode(space.client);
    await createAgent(space, node);
    await untilPlaced(space);
    const [made] = await podsIn(space);
    const conditions = [{ type: "Ready", status: "True", lastTransitionTime: new Date().toISOString() }];
    const target = { namespace: space.namespace, name: made?.metadata.name ?? "", type: "merge" } as const;
    await space.client.patch(
      pods,
      { status: { phase: "Running", conditions } },
      { ...target, subresource: "status" },
    );
    const ready = await untilAgent(space, (status) => status["numberReady"] === 1);
    expect(ready.status).toMatchObject({
      desiredNumberScheduled: 1,
      updatedNumberScheduled: 1,
      numberAvailable: 1,
    });
  });

  it("replace their pods when the template changes, and keep the old one as a revision", async () => {
    const space = await sandbox(cluster());
    const { client, namespace } = space;
    await using node = await standInNode(client);
    await createAgent(space, node);
    await untilPlaced(space);
    const containers = [{ name: "web", image: "registry.example/web:2" }];
    const patch = { spec: { template: { spec: { containers } } } };
    await client.patch(daemonSets, patch, { namespace, name: "agent", type: "strategic" });
    await untilAgent(
      space,
      (status) => status["observedGeneration"] === 2 && status["updatedNumberScheduled"] === 1,
    );
    const made = await podsIn(space);
    expect(made.map(({ spec }) => spec.containers[0]?.image)).toEqual(["registry.example/web:2"]);
    expect(made[0]?.metadata.labels).toMatchObject({ "pod-template-generation": "2" });
    const { items } = await client.list(controllerRevisions, { namespace });
    expect(new Set(items.map((revision) => revision["revision"]))).toEqual(new Set([1, 2]));
    expect(items).toHaveLength(2);
  });

  it("leave a node that stops fitting", async () => {
    const space = await sandbox(cluster());
    await using node = await standInNode(space.client);
    await createAgent(space, node);
    await untilPlaced(space);
    await disguise(space.client, node);
    await untilAgent(space, (status) => status["desiredNumberScheduled"] === 0);
    await expect.poll(() => podsIn(space)).toEqual([]);
  });
}

/** Without grace, because nobody is there to end a pod: it goes at once. */
async function createAgent({ client, namespace }: Sandbox, node: StandInNode): Promise<void> {
  const template = podTemplate({ app: "agent" });
  const spec = { ...template.spec, ...node.podSpec, terminationGracePeriodSeconds: 0 };
  await client.create(daemonSets, {
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata: { namespace, name: "agent" },
    spec: { selector: { matchLabels: { app: "agent" } }, template: { ...template, spec } },
  });
}

function untilPlaced(space: Sandbox): Promise<Workload> {
  return untilAgent(
    space,
    (status) => status["desiredNumberScheduled"] === 1 && status["currentNumberScheduled"] === 1,
  );
}

function untilAgent(
  space: Sandbox,
  isAsWanted: (status: Record<string, unknown>) => boolean,
): Promise<Workload> {
  return untilIs<Workload>({ ...space, resource: daemonSets, name: "agent" }, ({ status }) =>
    isAsWanted(status ?? {}),
  );
}

async function podsIn({ client, namespace }: Sandbox): Promise<Pod[]> {
  return (await client.list<Pod>(pods, { namespace })).items;
}
