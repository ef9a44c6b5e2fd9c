import { describe, expect, test } from "vitest";

import { ObservedCluster } from "../testing/observed-cluster.ts";
import { ObservedGraph } from "../testing/observed-graph.ts";
import { service } from "../testing/sample-objects.ts";

const placeIn = (namespace: string) => ({ name: `of-${namespace}`, namespace });

/** A cluster in which Services may be read in some namespaces only. */
async function start(...namespaces: string[]) {
  // Its controllers empty namespaces that are deleted.
  const cluster = await ObservedCluster.start({ controllers: true });
  const addNamespace = (name: string): void => {
    cluster.sim.api.create("namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name } });
  };
  for (const namespace of namespaces) {
    addNamespace(namespace);
    cluster.create("services", service, placeIn(namespace));
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
    await graph.until(() => graph.names("Service")).toEqual(["of-other", "of-shop"]);
    await graph.until(() => stateIn(graph, "shop")).toBe("observed");
    expect([stateIn(graph, ""), stateIn(graph, "hidden")]).toEqual(["forbidden", ""]);
    const asked = hidden.hits;
    cluster.sim.api.delete("services", "shop", "of-shop");
    await graph.until(() => graph.names("Service")).toEqual(["of-other"]);
    // Namespaces that may not be read are not asked for again and again.
    expect(hidden.hits).toBe(asked);
  });

  test("a namespace that appears is observed, and one that goes takes its objects along", async () => {
    const { cluster, addNamespace } = await start("shop");
    const graph = new ObservedGraph(cluster);
    await graph.until(() => graph.names("Service")).toEqual(["of-shop"]);
    await graph.until(() => graph.isComplete).toBe(true);
    addNamespace("late");
    cluster.create("services", service, placeIn("late"));
    await graph.until(() => graph.names("Service")).toEqual(["of-late", "of-shop"]);
    await graph.until(() => stateIn(graph, "late")).toBe("observed");
    const watches = cluster.sim.openWatches;
    cluster.sim.api.delete("namespaces", undefined, "late");
    await graph.until(() => graph.names("Service")).toEqual(["of-shop"]);
    await graph.until(() => cluster.sim.openWatches).toBe(watches - 1);
    await graph.until(() => graph.stateOf("/Service", "late")).toBe("ABSENT");
    expect(stateIn(graph, "late")).toBe("");
  });

  test("one in which the API server fails is told, tried again, and forgotten when it goes", async () => {
    const { cluster, addNamespace } = await start("shop");
    const broken = /^\/api\/v1\/namespaces\/(?:broken|lost)\/services/u;
    const failing = cluster.sim.faults.failRequests({ path: broken, code: 500 });
    const graph = new ObservedGraph(cluster);
    await graph.until(() => stateIn(graph, "shop")).toBe("observed");
    for (const name of ["broken", "lost"]) addNamespace(name);
    cluster.create("services", service, placeIn("broken"));
    await graph
      .until(() => [stateIn(graph, "broken"), stateIn(graph, "lost")])
      .toEqual(["failing", "failing"]);
    expect(stateIn(graph, "shop")).toBe("observed");
    cluster.sim.api.delete("namespaces", undefined, "lost");
    await graph.until(() => graph.stateOf("/Service", "lost")).toBe("ABSENT");
    failing.remove();
    await graph.until(() => stateIn(graph, "broken")).toBe("observed");
    expect(graph.names("Service")).toEqual(["of-broken", "of-shop"]);
  });

  test("all are read by one watch as soon as that is allowed", async () => {
    const { cluster, everywhere } = await start("shop", "hidden");
    const graph = new ObservedGraph(cluster);
    await graph.until(() => stateIn(graph, "shop")).toBe("observed");
    const told = graph.told.length;
    everywhere.remove();
    await graph.until(() => stateIn(graph, "")).toBe("observed");
    await graph.until(() => graph.names("Service")).toEqual(["kubernetes", "of-hidden", "of-shop"]);
    expect(graph.told.slice(told).sort()).toEqual(["kubernetes", "of-hidden"]);
    expect(graph.gone).toEqual([]);
  });
});
