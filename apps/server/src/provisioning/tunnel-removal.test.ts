import { Cluster, type Author } from "@bowline/api";
import { resources } from "@bowline/kube";
import { testWork } from "@bowline/providers/testing";
import { beforeEach, expect, test } from "vitest";

import { editor, WorkloadHarness, type TestCluster } from "../workloads/testing/workload-harness.ts";
import { removalThroughTunnel } from "./tunnel-removal.ts";

const namespace = "default";
const stranger: Author = { user: "stranger", role: "editor", method: "token", groups: [] };

let harness: WorkloadHarness;
let edge: TestCluster;

beforeEach(async () => {
  harness = await WorkloadHarness.open();
  edge = await harness.addCluster("edge");
  await service("front", { type: "LoadBalancer", ports: [{ port: 80 }] });
  await service("inside", { ports: [{ port: 80 }] });
  await edge.client.create(resources.persistentVolumeClaims, {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name: "data", namespace },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  });
});

async function service(name: string, spec: object): Promise<void> {
  const object = { apiVersion: "v1", kind: "Service", metadata: { name, namespace }, spec };
  await edge.client.create(resources.services, object);
}

async function deletedBy(author: Author): Promise<void> {
  const { objects } = harness.store;
  await objects.writeFinalizers(Cluster, "edge", ({ metadata }) => [
    ...(metadata.finalizers ?? []),
    "example.test/stays",
  ]);
  await objects.delete(Cluster, "edge", { author });
}

async function remove(id?: string): Promise<"done" | "waiting" | "unreachable"> {
  const cluster = await harness.store.objects.get(Cluster, "edge");
  if (cluster === undefined) throw new Error("There is no Cluster edge.");
  const { metadata, spec } = cluster;
  const { store, clients } = harness;
  return removalThroughTunnel({ store, clients })(
    testWork({ id: id ?? metadata.id, name: metadata.name, labels: {}, spec }),
  );
}

async function left(): Promise<(string | undefined)[]> {
  const { items: services } = await edge.client.list(resources.services, { namespace });
  const { items: claims } = await edge.client.list(resources.persistentVolumeClaims, { namespace });
  return [...services, ...claims]
    .map(({ metadata }) => metadata.name)
    .filter((name) => name !== "kubernetes");
}

test("what costs something outside goes first, and nothing else, as whoever deletes the cluster", async () => {
  await deletedBy(editor);
  expect(await remove()).toBe("waiting");
  // Volumes have data of people, which nobody has said may go.
  await expect.poll(left).toEqual(["inside", "data"]);
  await expect.poll(() => remove()).toBe("done");
});

test("nothing goes in the name of somebody whom no grant lets in", async () => {
  await harness.addUser("stranger");
  await deletedBy(stranger);
  expect(await remove()).toBe("unreachable");
  expect(await left()).toEqual(["front", "inside", "data"]);
});

test("nobody waits for a cluster that does not answer, or is another one by now", async () => {
  await deletedBy(editor);
  expect(await remove("another")).toBe("unreachable");
  await harness.disconnect("edge");
  expect(await remove()).toBe("unreachable");
  expect(await left()).toEqual(["front", "inside", "data"]);
});
