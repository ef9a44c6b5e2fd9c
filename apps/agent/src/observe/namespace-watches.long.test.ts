import { describe, expect, test } from "vitest";

import { ObservedCluster } from "../testing/observed-cluster.ts";
import { ObservedGraph } from "../testing/observed-graph.ts";
import { service } from "../testing/sample-objects.ts";

/** A cluster in which Services may be read in some namespaces only. */
async function start(...namespaces: string[]) {
  // Its controllers empty namespaces that are deleted.
  const cluster = await ObservedCluster.start({ controllers: true });
  const addNamespace = (name: string): void => {
    cluster.sim.api.create("namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name } });
  };
  for (const namespace of namespaces) {
    addNamespace(namespace);
    const place = { name: `of-${namespace}`, namespace };
    cluster.create("services", service, place);
  }
  const everywhere = cluster.sim.faults.failRequests({ path: /^\/api\/v1\/services/u, code: 403 });
  const hidden = cluster.sim.faults.failRequests({
    path: /^\/api\/v1\/namespaces\/(?:hidden|default|kube-[^/]+)\/services/u,
    code: 403,
  });
  return { cluster, addNamespace, everywhere, hidden };
}

const stateIn = (graph: ObservedGraph, namespace: string): string => {
  const told = graph.observer.coverage().find((each) => {
    return each.kind === "/Service" && each.namespace === namespace;
  });
  return told?.state ?? "";
};

describe("where not all namespaces may be read", () => {
  test("those are observed that may be, and what is forbidden is said", async () => {
    const { cluster, hidden } = await start("shop", "other", "hidden");
    const graph = new ObservedGraph(cluster);
    await expect.poll(() => graph.names("Service"), { timeout: 20_000 }).toEqual(["of-other", "of-shop"]);
    await expect.poll(() => stateIn(graph, "shop"), { timeout: 20_000 }).toBe("observed");
    expect([stateIn(graph, ""), stateIn(graph, "hidden")]).toEqual(["forbidden", ""]);
    const asked = hidden.hits;
    cluster.sim.api.delete("services", "shop", "of-shop");
    await expect.poll(() => graph.names("Service")).toEqual(["of-other"]);
    // Namespaces that may not be read are not asked for again and again.
    expect(hidden.hits).toBe(asked);
  }, 60_000);

  test("a namespace that appears is observed, and one that goes takes its objects along", async () => {
    const { cluster, addNamespace } = await start("shop");
    const graph = new ObservedGraph(cluster);
    await expect.poll(() => graph.names("Service"), { timeout: 20_000 }).toEqual(["of-shop"]);
    await expect.poll(() => graph.isComplete, { timeout: 20_000 }).toBe(true);
    addNamespace("late");
    const place = { name: "of-late", namespace: "late" };
    cluster.create("services", service, place);
    await expect.poll(() => graph.names("Service"), { timeout: 20_000 }).toEqual(["of-late", "of-shop"]);
    const watches = cluster.sim.openWatches;
    cluster.sim.api.delete("namespaces", undefined, "late");
    await expect.poll(() => graph.names("Service"), { timeout: 20_000 }).toEqual(["of-shop"]);
    await expect.poll(() => cluster.sim.openWatches, { timeout: 20_000 }).toBe(watches - 1);
  }, 90_000);

  test("all are read by one watch as soon as that is allowed", async () => {
    const { cluster, everywhere } = await start("shop", "hidden");
    const graph = new ObservedGraph(cluster);
    await expect.poll(() => stateIn(graph, "shop"), { timeout: 20_000 }).toBe("observed");
    const told = graph.told.length;
    everywhere.remove();
    await expect.poll(() => stateIn(graph, ""), { timeout: 60_000 }).toBe("observed");
    await expect.poll(() => graph.names("Service")).toEqual(["kubernetes", "of-hidden", "of-shop"]);
    expect(graph.told.slice(told).sort()).toEqual(["kubernetes", "of-hidden"]);
    expect(graph.gone).toEqual([]);
  }, 90_000);
});
