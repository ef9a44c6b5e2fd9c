import type { KubeObject } from "@bowline/kube/shapes";
import { expect, test } from "vitest";

import { podSelector } from "./pod-selector.ts";

const template = { spec: { containers: [{ name: "web", image: "web:1" }] } };

function workload(spec: Readonly<Record<string, unknown>>, kind = "Deployment"): KubeObject {
  return { apiVersion: "apps/v1", kind, metadata: { name: "web" }, spec };
}

test("labels and expressions of a workload choose its pods", () => {
  const selector = {
    matchLabels: { app: "web", tier: "front" },
    matchExpressions: [
      { key: "track", operator: "In", values: ["stable", "canary"] },
      { key: "zone", operator: "NotIn", values: ["a"] },
      { key: "ready", operator: "Exists" },
      { key: "old", operator: "DoesNotExist" },
    ],
  };
  expect(podSelector(workload({ selector, template }))).toBe(
    "app=web,tier=front,track in (stable,canary),zone notin (a),ready,!old",
  );
});

test("a ReplicationController has labels alone", () => {
  expect(podSelector(workload({ selector: { app: "web" }, template }, "ReplicationController"))).toBe(
    "app=web",
  );
});

test("what has no selector, or no pods, chooses none", () => {
  expect(podSelector(workload({ template }))).toBeUndefined();
  expect(podSelector(workload({ selector: {}, template }))).toBeUndefined();
  expect(podSelector(workload({ selector: { app: "web" } }, "Service"))).toBeUndefined();
});
