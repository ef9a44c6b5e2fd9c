import type { KubeObject } from "@bowline/kube";
import { describe, expect, test } from "vitest";

import type { ObjectPlace } from "../observe/kube-message.ts";
import { ClusterViews } from "./cluster-views.ts";
import { podNumbers } from "./pod-numbers.ts";

const place = (uid: string, namespace = "shop"): ObjectPlace => ({
  kind: "/Pod",
  namespace,
  name: uid,
  uid,
  owner: undefined,
});

const pod = (parts: { readonly spec?: object; readonly status?: object }): KubeObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p" },
  ...parts,
});

const asks = (cpu: string, memory: string, more: object = {}): object => ({
  resources: { requests: { cpu, memory } },
  ...more,
});

const node = (ready: string, more: object = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "n" },
  spec: more,
  status: {
    conditions: [{ type: "Ready", status: ready }],
    allocatable: { cpu: "1900m", memory: "4Gi", pods: "110" },
  },
});

describe("what a pod asks for", () => {
  test("is what its containers ask for together, with those that run beside them", () => {
    const spec = {
      initContainers: [asks("100m", "1Gi", { restartPolicy: "Always" }), asks("3", "64Mi")],
      containers: [asks("500m", "1Gi"), asks("0.5", "1Gi")],
      overhead: { cpu: "10m", memory: "1Mi" },
    };
    expect(podNumbers("shop", pod({ spec, status: { phase: "Running" } }))).toMatchObject({
      // The init container beside the one that stays asks for more than all that come after it.
      cpuMillis: 3_110,
      memoryBytes: 3 * 2 ** 30 + 2 ** 20,
    });
  });

  test("is nothing once it has ended", () => {
    const spec = { containers: [asks("1", "1Gi")] };
    for (const phase of ["Succeeded", "Failed"]) {
      expect(podNumbers("shop", pod({ spec, status: { phase } }))).toMatchObject({ cpuMillis: 0, phase });
    }
  });

  test.each([
    {},
    { spec: 1, status: [] },
    { spec: { containers: "x", overhead: null }, status: { phase: {}, containerStatuses: [null, 1, {}] } },
    { spec: { containers: [{ resources: { requests: { cpu: "-1", memory: "much" } } }] } },
    { status: { containerStatuses: [{ restartCount: -5, imageID: 7 }, { restartCount: 1e300 }] } },
  ])("is nothing of what is no pod: %j", (object) => {
    expect(podNumbers("shop", object)).toEqual({
      namespace: "shop",
      phase: "Unknown",
      cpuMillis: 0,
      memoryBytes: 0,
      restarts: 0,
      images: [],
    });
  });
});

describe("views", () => {
  test("count pods by phase and namespace, restarts, and each image once", () => {
    const views = new ClusterViews();
    const ran = (image: string, restartCount: number): object => ({
      phase: "Running",
      containerStatuses: [{ imageID: `registry/${image}@sha256:${image}`, image, restartCount }],
    });
    views.setPod(place("a"), pod({ status: ran("one", 2) }));
    views.setPod(place("b"), pod({ status: ran("one", 1) }));
    views.setPod(place("c", "other"), pod({ status: ran("two", 0) }));
    views.setPod(place("d", "other"), pod({ status: { phase: "Pending" } }));
    expect(views.ofPods()).toEqual({
      "pods-by-phase": { Running: 3, Pending: 1 },
      "pods-by-namespace": { "shop/Running": 2, "other/Running": 1, "other/Pending": 1 },
      restarts: { shop: 3 },
      requests: { cpuMillis: 0, memoryBytes: 0, pods: 4 },
      images: { count: 2 },
    });
    views.setPod(place("a"), pod({ status: { phase: "Failed" } }));
    views.remove("b");
    views.keepPods(new Set(["a", "d"]));
    expect(views.ofPods()).toMatchObject({
      "pods-by-phase": { Failed: 1, Pending: 1 },
      images: { count: 0 },
    });
  });

  test("count nodes, those that are ready, and what they have", () => {
    const views = new ClusterViews();
    views.setNode(place("a", ""), node("True"));
    views.setNode(place("b", ""), node("Unknown", { unschedulable: true }));
    expect(views.ofNodes()).toEqual({
      nodes: { count: 2, ready: 1, unschedulable: 1 },
      capacity: { cpuMillis: 3_800, memoryBytes: 8 * 2 ** 30, pods: 220 },
    });
    views.keepNodes(new Set());
    expect(views.ofNodes()).toMatchObject({ nodes: { count: 0, ready: 0 } });
  });

  test("have an end, however many namespaces there are", () => {
    const views = new ClusterViews();
    for (let count = 0; count < 2_500; count++) {
      views.setPod(place(`p${count}`, `ns${count}`), pod({ status: { phase: "Running" } }));
    }
    const byNamespace = views.ofPods()["pods-by-namespace"] ?? {};
    expect(Object.keys(byNamespace)).toHaveLength(2_001);
    expect(byNamespace["/Running"]).toBe(500);
  });
});
