import { resources, type KubeObject } from "@bowline/kube";
import { expect, it } from "vitest";

import { pod } from "../objects.ts";
import { sandbox, type Sandbox } from "../sandbox.ts";
import { servedResource } from "../served-resource.ts";
import { standInNode, type StandInNode } from "../stand-in-node.ts";
import type { RunningTarget } from "../target.ts";
import { untilGone, untilIs } from "../until.ts";

const { endpoints, pods, services } = resources;

interface Address {
  ip: string;
  nodeName?: string;
  targetRef?: { kind: string; name: string };
}

interface Endpoints extends KubeObject {
  subsets?: { addresses?: Address[]; notReadyAddresses?: Address[]; ports?: unknown[] }[];
}

/** The addresses behind a Service. No machine runs the pods: the tests say where they are and how. */
export function endpointsContract(cluster: () => RunningTarget): void {
  it("list the pods a Service selects, apart by whether they are ready", async () => {
    const space = await sandbox(cluster());
    await using node = await standInNode(space.client);
    await createService(space);
    await runPod(space, node, { name: "a", ip: "10.244.7.1", ready: true });
    await runPod(space, node, { name: "b", ip: "10.244.7.2", ready: false });
    const apart = await untilEndpoints(space, { ready: 1, notReady: 1 });
    expect(apart.subsets).toMatchObject([
      {
        addresses: [{ ip: "10.244.7.1", nodeName: node.name, targetRef: { kind: "Pod", name: "a" } }],
        notReadyAddresses: [{ ip: "10.244.7.2", targetRef: { kind: "Pod", name: "b" } }],
        ports: [{ name: "http", port: 8080, protocol: "TCP" }],
      },
    ]);
    await report(space, { name: "b", ip: "10.244.7.2", ready: true });
    const together = await untilEndpoints(space, { ready: 2, notReady: 0 });
    expect(together.subsets?.[0]?.addresses?.map(({ ip }) => ip)).toEqual(["10.244.7.1", "10.244.7.2"]);
    await space.client.delete(pods, { namespace: space.namespace, name: "a", gracePeriodSeconds: 0 });
    const left = await untilEndpoints(space, { ready: 1, notReady: 0 });
    expect(left.subsets?.[0]?.addresses).toMatchObject([{ ip: "10.244.7.2" }]);
  });

  it("come in slices too, which belong to the Service", async () => {
    const space = await sandbox(cluster());
    const { client, namespace } = space;
    await using node = await standInNode(client);
    const service = await createService(space);
    await runPod(space, node, { name: "a", ip: "10.244.7.1", ready: true });
    await untilEndpoints(space, { ready: 1, notReady: 0 });
    const slices = await servedResource(client, "discovery.k8s.io", "EndpointSlice");
    const list = async (): Promise<KubeObject[]> =>
      (await client.list(slices, { namespace, labelSelector: "kubernetes.io/service-name=web" })).items;
    await expect.poll(list).toMatchObject([
      {
        metadata: {
          labels: { "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io" },
          ownerReferences: [{ kind: "Service", name: "web", uid: service.metadata.uid }],
        },
        addressType: "IPv4",
        endpoints: [
          { addresses: ["10.244.7.1"], conditions: { ready: true }, targetRef: { kind: "Pod", name: "a" } },
        ],
        ports: [{ name: "http", port: 8080, protocol: "TCP" }],
      },
    ]);
  });

  it("go with the Service", async () => {
    const space = await sandbox(cluster());
    await createService(space);
    const awaited = { ...space, resource: endpoints, name: "web" };
    await untilIs(awaited, () => true);
    await space.client.delete(services, { namespace: space.namespace, name: "web" });
    await expect(untilGone(awaited)).resolves.toBeUndefined();
  });
}

interface PodReport {
  readonly name: string;
  readonly ip: string;
  readonly ready: boolean;
}

function createService({ client, namespace }: Sandbox): Promise<KubeObject> {
  return client.create(services, {
    apiVersion: "v1",
    kind: "Service",
    metadata: { namespace, name: "web" },
    spec: { selector: { app: "web" }, ports: [{ name: "http", port: 80, targetPort: "listen" }] },
  });
}

async function runPod(space: Sandbox, node: StandInNode, given: PodReport): Promise<void> {
  const { client, namespace } = space;
  const ports = [{ name: "listen", containerPort: 8080 }];
  const containers = [{ name: "web", image: "registry.example/web:1", ports }];
  const metadata = { namespace, name: given.name, labels: { app: "web" } };
  await client.create(pods, pod(metadata, { ...node.podSpec, nodeName: node.name, containers }));
  await report(space, given);
}

async function report({ client, namespace }: Sandbox, { name, ip, ready }: PodReport): Promise<void> {
  const conditions = [{ type: "Ready", status: ready ? "True" : "False" }];
  const status = { phase: "Running", podIP: ip, podIPs: [{ ip }], conditions };
  await client.patch(pods, { status }, { namespace, name, type: "merge", subresource: "status" });
}

function untilEndpoints(
  space: Sandbox,
  wanted: { readonly ready: number; readonly notReady: number },
): Promise<Endpoints> {
  return untilIs<Endpoints>({ ...space, resource: endpoints, name: "web" }, ({ subsets }) => {
    const [subset = {}] = subsets ?? [];
    const { addresses = [], notReadyAddresses = [] } = subset;
    return addresses.length === wanted.ready && notReadyAddresses.length === wanted.notReady;
  });
}
