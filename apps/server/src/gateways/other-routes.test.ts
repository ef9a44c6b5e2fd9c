import { Gateway } from "@bowline/api";
import { resources, type KubeClient, type KubeObject, type ResourceRef } from "@bowline/kube";
import { gatewayResources, referenceControllerName, whyNoGatewayApi } from "@bowline/test-gateway";
import { describe, expect, test } from "vitest";

import { DyingServer } from "./testing/dying-server.ts";
import { addClass, GatewayHarness, type GatewayCluster } from "./testing/gateway-harness.ts";

const { httpRoutes, grpcRoutes, tlsRoutes } = gatewayResources;

/** A server, and a cluster whose Gateway `shop` answers. */
async function openShop(
  spec: Parameters<GatewayHarness["write"]>[1] = {},
): Promise<{ harness: GatewayHarness; cluster: GatewayCluster }> {
  const harness = await GatewayHarness.open();
  const cluster = await harness.addCluster("a");
  await harness.workloads.place(["a"]);
  for (const host of ["shop", "bowline-probe"]) harness.records.set(`${host}.example.com`, ["192.0.2.1"]);
  await harness.write("shop", spec);
  await expect.poll(() => harness.ready("shop")).toMatch(/^True Reachable/);
  return { harness, cluster };
}

/** What is told of the route of a Gateway: `True Accepted: …`. */
async function routeCheck({ store }: GatewayHarness, name = "shop"): Promise<string> {
  const gateway = await store.objects.get(Gateway, name);
  const check = gateway?.status.clusters[0]?.checks.find(({ type }) => type === "Route");
  return check === undefined ? "" : `${check.status} ${check.reason}: ${check.message}`;
}

interface Theirs {
  readonly name?: string;
  readonly namespace?: string;
  readonly hostnames: readonly string[];
  readonly path?: string;
  /** A Gateway of theirs, in the same namespace. */
  readonly at?: string;
}

/** Somebody else makes a route, at the entry that is there if at no Gateway of theirs. */
async function addTheirs(
  client: KubeClient,
  resource: ResourceRef,
  { name = "theirs", namespace = "kube-public", hostnames, path, at: own }: Theirs,
): Promise<() => Promise<unknown>> {
  const entry = (await client.list(gatewayResources.gateways)).items[0]?.metadata ?? {};
  const matches = path === undefined ? {} : { matches: [{ path: { type: "PathPrefix", value: path } }] };
  const parentRefs = [own === undefined ? { name: entry.name, namespace: entry.namespace } : { name: own }];
  await client.create<KubeObject>(resource, {
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: resource.kind,
    metadata: { name, namespace },
    spec: { parentRefs, hostnames, rules: [{ ...matches, backendRefs: [{ name: "x", port: 80 }] }] },
  });
  // The controller of the test kit takes no others.
  if (resource !== httpRoutes) {
    const lastTransitionTime = new Date().toISOString();
    const accepted = {
      type: "Accepted",
      status: "True",
      reason: "Accepted",
      message: "",
      lastTransitionTime,
    };
    const parents = parentRefs.map((parentRef) => ({
      parentRef,
      controllerName: referenceControllerName,
      conditions: [accepted],
    }));
    const at = { subresource: "status", name, namespace };
    await client.patch(resource, { status: { parents } }, { type: "merge", ...at });
  }
  return () => client.delete(resource, { name, namespace });
}

/** Whether the controller has taken an HTTPRoute of somebody else. */
async function isTaken({ client }: GatewayCluster, name: string): Promise<boolean> {
  const { status } = await client.get(httpRoutes, { name, namespace: "kube-public" });
  return JSON.stringify(status ?? {}).includes(referenceControllerName);
}

/** Somebody else makes a Gateway of the same class. */
async function addGateway({ client }: GatewayCluster): Promise<void> {
  await client.create<KubeObject>(gatewayResources.gateways, {
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "Gateway",
    metadata: { name: "own", namespace: "kube-public" },
    spec: {
      gatewayClassName: "reference",
      listeners: [{ name: "http", port: 80, protocol: "HTTP" }],
    },
  });
}

describe.skipIf(whyNoGatewayApi() !== undefined)("A route of somebody else", () => {
  test.each([["shop.example.com"], ["*.example.com"]])(
    "that is a GRPCRoute for %s takes the host of another namespace, until it is gone",
    async (host) => {
      const { harness, cluster } = await openShop();
      const remove = await addTheirs(cluster.client, grpcRoutes, { hostnames: [host] });
      await expect
        .poll(() => harness.ready("shop"))
        .toBe(
          "False HostTaken: GRPCRoute kube-public/theirs, which is not of Bowline, has shop.example.com too, and a listener takes either HTTPRoutes or GRPCRoutes of a host.",
        );
      await remove();
      await expect.poll(() => harness.ready("shop")).toMatch(/^True Reachable/);
    },
  );

  test("that is a TLSRoute takes a host whose connections are passed through, until it is gone", async () => {
    const { harness, cluster } = await openShop();
    await harness.write("shop", { tls: { mode: "passthrough" } });
    // The controller of the test kit passes nothing through.
    await expect.poll(() => routeCheck(harness)).toMatch(/^False NotProgrammed: TLSRoute .*no controller/);
    const remove = await addTheirs(cluster.client, tlsRoutes, { hostnames: ["shop.example.com"] });
    await expect
      .poll(() => routeCheck(harness))
      .toBe(
        "False HostTaken: TLSRoute kube-public/theirs, which is not of Bowline, has shop.example.com too, and may get its requests.",
      );
    await remove();
    await expect.poll(() => routeCheck(harness)).toMatch(/^False NotProgrammed: /);
  });

  test("with a wildcard gets nothing of an exact host; with a longer path it does, which is told", async () => {
    const { harness, cluster } = await openShop();
    await addTheirs(cluster.client, httpRoutes, { name: "wide", hostnames: ["*.example.com"] });
    await expect.poll(() => isTaken(cluster, "wide")).toBe(true);
    const host = { hostnames: ["shop.example.com"] };
    const remove = await addTheirs(cluster.client, httpRoutes, { ...host, name: "api", path: "/api" });
    await expect
      .poll(() => routeCheck(harness))
      .toBe(
        "True Accepted: HTTPRoute kube-public/api, which is not of Bowline, gets the requests for shop.example.com/api.",
      );
    expect(await harness.ready("shop")).toMatch(/^True Reachable/);
    await remove();
    await expect.poll(() => routeCheck(harness)).toBe("True Accepted: ");
  });

  test("with an exact host gets that one of a wildcard, which is told and keeps nobody from being ready", async () => {
    const { harness, cluster } = await openShop({ hosts: ["*.example.com"] });
    const remove = await addTheirs(cluster.client, httpRoutes, { hostnames: ["a.example.com"] });
    await expect
      .poll(() => routeCheck(harness))
      .toBe(
        "True Accepted: HTTPRoute kube-public/theirs, which is not of Bowline, gets the requests for a.example.com.",
      );
    expect(await harness.ready("shop")).toMatch(/^True Reachable/);
    await remove();
    await addTheirs(cluster.client, httpRoutes, { hostnames: ["*.example.com"] });
    await expect
      .poll(() => harness.ready("shop"))
      .toMatch(/^False HostTaken: HTTPRoute kube-public\/theirs, .* has \*\.example\.com\/ too/);
  });

  test("at a Gateway of theirs takes no host there is at another address, until nobody knows its address", async () => {
    const { harness, cluster } = await openShop();
    const { client } = cluster;
    await addGateway(cluster);
    const { gateways } = gatewayResources;
    const at = { name: "own", namespace: "kube-public" };
    const address = async (): Promise<unknown> => (await client.get(gateways, at))["status"];
    await expect.poll(address).toMatchObject({ addresses: [{ value: "192.0.2.2" }] });
    await addTheirs(client, httpRoutes, { hostnames: ["shop.example.com"], at: "own" });
    await expect.poll(() => isTaken(cluster, "theirs")).toBe(true);
    const host = { hostnames: ["shop.example.com"] };
    await addTheirs(client, httpRoutes, { ...host, name: "api", path: "/api" });
    const told = "HTTPRoute kube-public/api, which is not of Bowline, gets the requests for";
    await expect.poll(() => routeCheck(harness)).toBe(`True Accepted: ${told} shop.example.com/api.`);
    cluster.controller.behave({ programs: false });
    await expect.poll(() => routeCheck(harness)).toMatch(/^False HostTaken: HTTPRoute kube-public\/theirs/);
  });

  test("that is an Ingress takes the host where it is served at the address of the entry", async () => {
    const { harness, cluster } = await openShop();
    const { client } = cluster;
    const at = { name: "theirs", namespace: "kube-public" };
    const backend = { service: { name: "x", port: { number: 80 } } };
    await client.create<KubeObject>(resources.ingresses, {
      apiVersion: "networking.k8s.io/v1",
      kind: "Ingress",
      metadata: at,
      spec: {
        rules: [{ host: "shop.example.com", http: { paths: [{ path: "/", pathType: "Prefix", backend }] } }],
      },
    });
    const serveAt = (ip: string): Promise<unknown> =>
      client.patch(
        resources.ingresses,
        { status: { loadBalancer: { ingress: [{ ip }] } } },
        { type: "merge", subresource: "status", ...at },
      );
    await serveAt("192.0.2.1");
    await expect
      .poll(() => harness.ready("shop"))
      .toBe(
        "False HostTaken: Ingress kube-public/theirs, which is not of Bowline, has shop.example.com/ too, and may get its requests.",
      );
    await serveAt("192.0.2.9");
    await expect.poll(() => harness.ready("shop")).toMatch(/^True Reachable/);
  });

  test("that has gone since routes were listed is not told of, though the list still counts", async () => {
    const harness = await GatewayHarness.open({ isManual: true });
    const cluster = await harness.addCluster("a");
    await harness.workloads.place(["a"]);
    await harness.write("shop");
    const turnOf = async (server: DyingServer): Promise<string> => {
      await server.turn();
      return routeCheck(harness);
    };
    await expect.poll(() => turnOf(new DyingServer(harness))).toBe("True Accepted: ");
    const remove = await addTheirs(cluster.client, httpRoutes, { hostnames: ["shop.example.com"] });
    // Another server has listed nothing yet.
    await expect.poll(() => turnOf(new DyingServer(harness))).toMatch(/^False HostTaken/);
    const looking = new DyingServer(harness);
    expect(await turnOf(looking)).toMatch(/^False HostTaken/);
    await remove();
    expect(await turnOf(looking)).toBe("True Accepted: ");
  });

  test("that is a copy of one of ours, with its name and labels, is told apart by where it is", async () => {
    const { harness, cluster } = await openShop();
    const { client } = cluster;
    const at = { name: "bowline-shop", namespace: "default" };
    const { apiVersion, metadata, spec } = await client.get(httpRoutes, at);
    await client.create<KubeObject>(httpRoutes, {
      apiVersion,
      kind: "HTTPRoute",
      metadata: { name: "bowline-shop", namespace: "kube-public", labels: { ...metadata.labels } },
      spec,
    });
    await expect
      .poll(() => harness.ready("shop"))
      .toMatch(
        /^False HostTaken: HTTPRoute kube-public\/bowline-shop, which is not of Bowline though it has its label, has/,
      );
    await client.delete(httpRoutes, { ...at, namespace: "kube-public" });
    await expect.poll(() => harness.ready("shop")).toMatch(/^True Reachable/);
  });
});

describe.skipIf(whyNoGatewayApi() !== undefined)("Routes that may not be listed", () => {
  test("are told of as such, and the others are looked at", async () => {
    const { harness, cluster } = await openShop();
    const { client } = cluster;
    const apiVersion = "rbac.authorization.k8s.io/v1";
    const metadata = { name: "some-routes" };
    const some = ["gatewayclasses", "gateways", "httproutes", "listenersets", "referencegrants"];
    const rules = [
      { apiGroups: [""], resources: ["*"], verbs: ["*"] },
      { apiGroups: ["gateway.networking.k8s.io"], resources: some, verbs: ["*"] },
    ];
    await client.create<KubeObject>(resources.clusterRoles, {
      apiVersion,
      kind: "ClusterRole",
      metadata,
      rules,
    });
    await client.create<KubeObject>(resources.clusterRoleBindings, {
      apiVersion,
      kind: "ClusterRoleBinding",
      metadata,
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: metadata.name },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "limited" }],
    });
    await harness.workloads.grant("editor", { kubernetes: { user: "limited", groups: [] } });
    await expect
      .poll(() => routeCheck(harness))
      .toBe(
        "True Accepted: GRPCRoutes, TLSRoutes, Ingresses of other namespaces may not be listed, so nobody has looked whether one has the same host.",
      );
    await addTheirs(client, httpRoutes, { hostnames: ["shop.example.com"] });
    await expect.poll(() => harness.ready("shop")).toMatch(/^False HostTaken: HTTPRoute kube-public\/theirs/);
  });
});

describe.skipIf(whyNoGatewayApi() !== undefined)("Routes of Bowline", () => {
  test("for other paths or a wildcard of the same hosts are no routes of somebody else", async () => {
    const { harness } = await openShop();
    const api = [{ path: "/api", service: "web", port: 80 }];
    await harness.write("api", { hosts: ["shop.example.com"], rules: api });
    await harness.write("wide", { hosts: ["*.example.com"] });
    const names = ["shop", "api", "wide"];
    for (const name of names) await expect.poll(() => harness.ready(name)).toMatch(/^True Reachable/);
    for (const name of names) expect(await routeCheck(harness, name)).toBe("True Accepted: ");
  });

  test("are listed once for the Gateways that are looked at in one moment, and never by an API that is not there", async () => {
    const harness = await GatewayHarness.open({ isManual: true });
    const server = new DyingServer(harness);
    const cluster = await harness.addBareCluster("a", { without: "tlsroutes" });
    await addClass(cluster, "reference");
    await harness.workloads.place(["a"]);
    const names = ["shop-1", "shop-2", "shop-3"];
    for (const name of names) await harness.write(name);
    for (const name of names) await server.turn(harness.store.objects, name);
    const asked = (plural: string): string[] =>
      cluster.requests.filter((each) => each.includes(`/${plural}?`) || each.endsWith(`/${plural}`));
    const lists = ["httproutes", "grpcroutes", "ingresses"].map((plural) => asked(plural).length);
    expect(lists).toEqual([1, 1, 1]);
    expect(cluster.requests.filter((each) => each.includes("tlsroutes"))).toEqual([]);
  });
});
