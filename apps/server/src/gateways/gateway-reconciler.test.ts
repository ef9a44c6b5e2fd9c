import { Gateway, WorkloadDefinition, WorkloadInstance } from "@bowline/api";
import { resources } from "@bowline/kube";
import { gatewayResources, whyNoGatewayApi } from "@bowline/test-gateway";
import { describe, expect, test } from "vitest";

import { routesName } from "./entry.ts";
import { addClass, GatewayHarness, madeIn } from "./testing/gateway-harness.ts";

describe.skipIf(whyNoGatewayApi() !== undefined)("A Gateway", () => {
  test("answers from outside, by workloads of its own, and leaves nothing behind", async () => {
    const harness = await GatewayHarness.open();
    const cluster = await harness.addCluster("a");
    await harness.workloads.place(["a"]);
    harness.records.set("shop.example.com", ["192.0.2.1"]);
    const before = await harness.store.objects.get(WorkloadInstance, "web");
    await harness.write("shop");
    await expect
      .poll(() => harness.ready("shop"))
      .toBe("True Reachable: It answers from outside, at 192.0.2.1.");
    expect(harness.probes.at(-1)).toEqual({
      host: "shop.example.com",
      address: "192.0.2.1",
      port: 443,
      path: "/",
      isSecure: true,
    });
    const { spec } = (await harness.store.objects.get(WorkloadInstance, "web")) ?? {};
    expect(spec).toEqual(before?.spec);
    expect(await madeIn(cluster)).toEqual([
      expect.stringMatching(/^Gateway bowline-public-reference-/),
      "HTTPRoute bowline-shop",
      "HTTPRoute bowline-shop.redirect",
      expect.stringMatching(/^Namespace bowline-public-reference-/),
      "Secret host.shop.example.com",
    ]);
    await harness.store.objects.delete(Gateway, "shop");
    await expect.poll(() => harness.store.objects.get(Gateway, "shop")).toBeUndefined();
    expect(await madeIn(cluster)).toEqual([]);
    expect(await harness.store.objects.listNames(WorkloadInstance)).toEqual(["web"]);
    expect(await harness.store.objects.listNames(WorkloadDefinition)).toEqual(["shop"]);
  });

  test("that shares its entry leaves it to the others, and hosts that come at once are all there", async () => {
    const harness = await GatewayHarness.open();
    const cluster = await harness.addCluster("a");
    await harness.workloads.place(["a"]);
    const names = Array.from({ length: 8 }, (_, index) => `shop-${index}`);
    for (const name of names) harness.records.set(`${name}.example.com`, ["192.0.2.1"]);
    await Promise.all(names.map((name) => harness.write(name)));
    for (const name of names) await expect.poll(() => harness.ready(name)).toMatch(/^True Reachable/);
    await harness.store.objects.delete(Gateway, "shop-0");
    await expect.poll(() => harness.store.objects.get(Gateway, "shop-0")).toBeUndefined();
    await expect.poll(() => madeIn(cluster)).not.toContain("Secret host.shop-0.example.com");
    expect(await harness.ready("shop-1")).toMatch(/^True Reachable/);
  });

  test("says which GatewayClass is missing, and goes on when it is there", async () => {
    const harness = await GatewayHarness.open();
    const cluster = await harness.addCluster("a");
    await harness.workloads.place(["a"]);
    harness.records.set("shop.example.com", ["192.0.2.1"]);
    await harness.write("shop", { class: "later" });
    const message = "False ClassMissing: Cluster a has no GatewayClass later; it has reference.";
    await expect.poll(() => harness.ready("shop")).toBe(message);
    await addClass(cluster, "later");
    await expect.poll(() => harness.ready("shop")).toMatch(/^True Reachable/);
  });

  test("says that two GatewayClasses are marked as that of the cluster, and goes on when one is not any more", async () => {
    const harness = await GatewayHarness.open();
    const cluster = await harness.addCluster("a");
    const marked = { "bowline.dev/default-class": "true" };
    for (const name of ["first", "second"]) await addClass(cluster, name, marked);
    await harness.workloads.place(["a"]);
    harness.records.set("shop.example.com", ["192.0.2.1"]);
    await harness.write("shop");
    await expect
      .poll(() => harness.ready("shop"))
      .toBe(
        "False ClassMissing: In cluster a, several GatewayClasses are marked as the one to use (first, second); name one in spec.class, or set the annotation bowline.dev/default-class=true on one.",
      );
    expect(await madeIn(cluster)).toEqual([]);
    const unmarked = { metadata: { annotations: { "bowline.dev/default-class": null } } };
    await cluster.client.patch(gatewayResources.gatewayClasses, unmarked, { type: "merge", name: "first" });
    await expect.poll(() => harness.ready("shop")).toMatch(/^True Reachable/);
    expect(await madeIn(cluster)).toContainEqual(expect.stringMatching(/^Gateway bowline-public-second-/));
    // Whoever has one keeps it, though nobody could choose any more.
    await cluster.client.patch(
      gatewayResources.gatewayClasses,
      { metadata: { annotations: marked } },
      { type: "merge", name: "first" },
    );
    await harness.write("young");
    await expect.poll(() => harness.ready("young")).toMatch(/^False ClassMissing: In cluster a, several/);
    expect(await harness.ready("shop")).toMatch(/^True Reachable/);
  });

  test("says that no controller has accepted its class", async () => {
    const harness = await GatewayHarness.open();
    await harness.addCluster("a", { accepts: false });
    await harness.workloads.place(["a"]);
    await harness.write("shop");
    await expect
      .poll(() => harness.ready("shop"))
      .toMatch(/^False ClassMissing: GatewayClass reference in cluster a: its controller refuses it/);
  });

  test("says that its entry is not programmed, as long as it is not", async () => {
    const harness = await GatewayHarness.open();
    const { controller } = await harness.addCluster("a", { programs: false });
    await harness.workloads.place(["a"]);
    harness.records.set("shop.example.com", ["192.0.2.1"]);
    await harness.write("shop", { tls: { mode: "none" } });
    await expect
      .poll(() => harness.ready("shop"))
      .toMatch(/^False NotProgrammed: Gateway bowline-public-reference-\w+\/.*not programmed/);
    controller.behave({ programs: true });
    await expect.poll(() => harness.ready("shop")).toMatch(/^True Reachable/);
  });

  test("names the Service or the port that is missing, and goes on when it appears", async () => {
    const harness = await GatewayHarness.open();
    const { client } = await harness.addCluster("a");
    await harness.workloads.place(["a"]);
    harness.records.set("shop.example.com", ["192.0.2.1"]);
    await harness.write("shop", { rules: [{ path: "/", service: "api", port: 8080 }] });
    await expect
      .poll(() => harness.ready("shop"))
      .toBe("False BackendMissing: There is no Service default/api.");
    const service = { apiVersion: "v1", kind: "Service", metadata: { name: "api", namespace: "default" } };
    await client.create(resources.services, { ...service, spec: { ports: [{ port: 80 }] } });
    await expect
      .poll(() => harness.ready("shop"))
      .toBe("False BackendMissing: Service default/api has no port 8080; it has 80.");
    await client.patch(
      resources.services,
      { spec: { ports: [{ port: 8080 }] } },
      { type: "merge", name: "api", namespace: "default" },
    );
    await expect.poll(() => harness.ready("shop")).toMatch(/^True Reachable/);
  });

  test("finds a route of somebody else that has its host", async () => {
    const harness = await GatewayHarness.open();
    const { client } = await harness.addCluster("a");
    await harness.workloads.place(["a"]);
    harness.records.set("shop.example.com", ["192.0.2.1"]);
    await harness.write("shop");
    await expect.poll(() => harness.ready("shop")).toMatch(/^True Reachable/);
    const { items } = await client.list(gatewayResources.gateways);
    const { name = "", namespace } = items[0]?.metadata ?? {};
    await client.create(gatewayResources.httpRoutes, {
      apiVersion: "gateway.networking.k8s.io/v1",
      kind: "HTTPRoute",
      metadata: { name: "theirs", namespace: "kube-public" },
      spec: {
        parentRefs: [{ name, namespace }],
        hostnames: ["shop.example.com"],
        rules: [{ backendRefs: [{ name: "x", port: 80 }] }],
      },
    });
    await expect
      .poll(() => harness.ready("shop"))
      .toMatch(
        /^False HostTaken: HTTPRoute kube-public\/theirs, which is not of Bowline, has shop.example.com\/ too/,
      );
  });

  test("follows its DNS record: missing, of somebody else, its own, and again when the address changes", async () => {
    const harness = await GatewayHarness.open();
    const { controller, client } = await harness.addCluster("a");
    await harness.workloads.place(["a"]);
    await harness.write("shop");
    await expect
      .poll(() => harness.ready("shop"))
      .toBe("False RecordPending: There is no DNS record for shop.example.com; it has to lead to 192.0.2.1.");
    harness.records.set("shop.example.com", ["198.51.100.9"]);
    await expect
      .poll(() => harness.ready("shop"))
      .toBe(
        "False RecordForeign: The DNS record of shop.example.com leads to 198.51.100.9, and not to 192.0.2.1.",
      );
    harness.records.set("shop.example.com", ["192.0.2.1"]);
    await expect.poll(() => harness.ready("shop")).toMatch(/^True Reachable/);
    const { items } = await client.list(gatewayResources.gateways);
    const { name, namespace } = items[0]?.metadata ?? {};
    controller.changeAddress(`${namespace}/${name}`);
    await expect.poll(() => harness.ready("shop")).toMatch(/^False RecordForeign/);
    harness.records.set("shop.example.com", ["192.0.2.2"]);
    await expect.poll(() => harness.ready("shop")).toMatch(/^True Reachable/);
  });

  test("in two clusters tells of each, and keeps what it has in one that is away", async () => {
    const harness = await GatewayHarness.open();
    await harness.addCluster("a", { addresses: ["192.0.2.1"] });
    await harness.addCluster("b", { addresses: ["192.0.2.2"] });
    await harness.workloads.place(["a", "b"]);
    harness.records.set("shop.example.com", ["192.0.2.1"]);
    await harness.write("shop");
    await expect.poll(() => harness.ready("shop", "a")).toMatch(/^True Reachable/);
    await expect.poll(() => harness.ready("shop", "b")).toMatch(/^True Reachable/);
    await harness.workloads.disconnect("a");
    await expect.poll(() => harness.ready("shop")).toMatch(/^Unknown AgentDisconnected: a: /);
    // It is still known where the entry of the other cluster is: a record that leads there is nobody else's.
    const asked = harness.probes.length;
    await expect.poll(() => harness.probes.length).toBeGreaterThan(asked + 2);
    expect(await harness.ready("shop", "b")).toMatch(/^True /);
    await harness.workloads.connect("a");
    await expect.poll(() => harness.ready("shop")).toMatch(/^True Reachable/);
  });

  test("says that it is leaving a cluster before anything there goes, though that cannot be reached", async () => {
    const harness = await GatewayHarness.open();
    await harness.addCluster("a", { addresses: ["192.0.2.1"] });
    await harness.addCluster("b", { addresses: ["192.0.2.2"] });
    await harness.workloads.place(["a", "b"]);
    harness.records.set("shop.example.com", ["192.0.2.1"]);
    await harness.write("shop");
    await expect.poll(() => harness.ready("shop", "a")).toMatch(/^True Reachable/);
    await harness.workloads.disconnect("a");
    await harness.workloads.place(["b"]);
    await expect.poll(() => harness.ready("shop", "a")).toMatch(/^False Leaving: /);
  });

  test("goes on in other clusters when one of them fails, and tells of that one what is wrong", async () => {
    const harness = await GatewayHarness.open();
    await harness.addCluster("a", { addresses: ["192.0.2.1"] });
    await harness.addCluster("b", { addresses: ["192.0.2.2"] });
    await harness.workloads.place(["a", "b"]);
    harness.records.set("shop.example.com", ["192.0.2.2"]);
    const name = routesName("shop", "a");
    await harness.workloads.define("apiVersion: v1\nkind: ConfigMap\nmetadata: { name: theirs }\n", { name });
    await harness.write("shop");
    await expect.poll(() => harness.ready("shop", "b")).toMatch(/^True Reachable/);
    await expect.poll(() => harness.ready("shop", "a")).toMatch(/^False NameTaken: /);
    await expect.poll(() => harness.ready("shop")).toMatch(/^False NameTaken: a: /);
    await harness.store.objects.delete(WorkloadDefinition, name);
    await expect.poll(() => harness.ready("shop", "a")).toMatch(/^True /);
  });

  test("leaves a workload alone that has the name of one of its own", async () => {
    const harness = await GatewayHarness.open();
    await harness.addCluster("a");
    await harness.workloads.place(["a"]);
    const manifests = "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: theirs }\n";
    const name = routesName("shop", "a");
    await harness.workloads.define(manifests, { name });
    await harness.write("shop");
    await expect
      .poll(() => harness.ready("shop"))
      .toMatch(/^False NameTaken: The WorkloadDefinition "gateway-shop-/);
    const theirs = await harness.store.objects.get(WorkloadDefinition, name);
    expect(theirs?.spec.source.inline?.manifests).toBe(manifests);
    // It has nothing to remove there, so nobody has to be waited for.
    await harness.delete("shop");
    await expect.poll(() => harness.store.objects.get(Gateway, "shop")).toBeUndefined();
    expect(await harness.store.objects.get(WorkloadDefinition, name)).toEqual(theirs);
  });

  test("makes nothing where whoever wrote it has no rights", async () => {
    const harness = await GatewayHarness.open();
    const cluster = await harness.addCluster("a");
    await harness.workloads.place(["a"]);
    await harness.workloads.grant("editor", {
      clusters: { names: ["b"] },
      kubernetes: { user: "admin", groups: [] },
    });
    await harness.write("shop");
    await expect
      .poll(() => harness.ready("shop"))
      .toMatch(/^False NotGranted: User "editor" has no AccessGrant for cluster a/);
    expect(await madeIn(cluster)).toEqual([]);
  });
});
