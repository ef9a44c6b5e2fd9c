import { expect, test } from "vitest";

import type { Endpoints, EndpointSlice } from "../kinds/network.ts";
import { deployment } from "../testing/manifests.ts";
import { SimCluster } from "../testing/sim-cluster.ts";

const service = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "web" },
  spec: { selector: { app: "web" }, ports: [{ name: "http", port: 80, targetPort: "web" }] },
};
const listening = { container: { ports: [{ name: "web", containerPort: 8080 }] } };

function endpoints(cluster: SimCluster): Endpoints {
  return cluster.store.get("endpoints", "default", "web") as Endpoints;
}

function slices(cluster: SimCluster): EndpointSlice[] {
  const all = cluster.store.list("endpointslices.discovery.k8s.io", "default") as EndpointSlice[];
  return all.filter(({ metadata }) => metadata.labels?.["kubernetes.io/service-name"] === "web");
}

test("a service knows its ready pods, and those that are not", async () => {
  using cluster = new SimCluster();
  cluster.apply(service);
  cluster.apply(deployment("web", {}, listening));
  await cluster.pass(5_000);
  const [sick] = cluster.pods();
  cluster.nodes.behaviour({ name: sick?.metadata.name ?? "" }, { kind: "never-ready" });
  await cluster.pass(1_000);
  const [subset] = endpoints(cluster).subsets ?? [];
  expect(subset?.addresses).toHaveLength(2);
  expect(subset?.notReadyAddresses).toMatchObject([
    {
      ip: sick?.status?.podIP,
      nodeName: sick?.spec.nodeName,
      targetRef: { kind: "Pod", name: sick?.metadata.name },
    },
  ]);
  expect(subset?.ports).toEqual([{ name: "http", port: 8080, protocol: "TCP" }]);
  const [slice] = slices(cluster);
  expect(slice?.endpoints?.map(({ conditions }) => conditions.ready).sort()).toEqual([false, true, true]);
  expect(slice?.ports).toEqual([{ name: "http", port: 8080, protocol: "TCP" }]);
});

test("a large service has slices of a hundred", async () => {
  using cluster = new SimCluster({ startDelayMs: 0, nodes: [{ pods: 500 }] });
  cluster.apply(service);
  cluster.apply(deployment("web", { replicas: 250 }, listening));
  await cluster.settled();
  expect(slices(cluster).map((slice) => slice.endpoints?.length)).toEqual([100, 100, 50]);
});

test("a service without pods has no addresses, and a deleted one no endpoints", async () => {
  using cluster = new SimCluster();
  cluster.apply(service);
  await cluster.pass(1_000);
  expect(endpoints(cluster).subsets).toBeUndefined();
  expect(slices(cluster).map((slice) => slice.endpoints)).toEqual([null]);
  cluster.store.delete("services", "default", "web");
  await cluster.pass(1_000);
  expect(endpoints(cluster)).toBeUndefined();
  expect(slices(cluster)).toEqual([]);
});
