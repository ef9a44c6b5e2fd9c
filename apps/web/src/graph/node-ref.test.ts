import { expect, test } from "vitest";

import { nodeId, nodeParameter, nodeText, objectPath, parseNode } from "./node-ref.ts";

test("a node is written as questions take it, and read again", () => {
  for (const text of ["Secret/shop/db", "Node//worker-1", "User//a/b", "Rollout.argoproj.io/shop/web"]) {
    const ref = parseNode(text);
    expect(ref === undefined ? undefined : nodeParameter(ref)).toBe(text);
  }
  expect(["Secret", "Secret/shop", "Secret/shop/", "/shop/db"].map(parseNode)).toEqual(
    Array.from({ length: 4 }, () => undefined),
  );
});

test("people read kind, namespace and name; nodes of two clusters are two", () => {
  expect(nodeText({ kind: "Secret", namespace: "shop", name: "db" })).toBe("Secret shop/db");
  expect(nodeText({ kind: "Node", namespace: "", name: "worker-1" })).toBe("Node worker-1");
  const ref = { kind: "Secret", namespace: "shop", name: "db" };
  expect(nodeId({ ...ref, cluster: "edge" })).not.toBe(nodeId({ ...ref, cluster: "cloud" }));
});

test("an object has a page, what clusters share has none", () => {
  const pod = { cluster: "edge", kind: "Pod", namespace: "shop", name: "web-1" };
  expect(objectPath(pod)).toBe("/c/edge/o/core/v1/pods/shop/web-1");
  expect(objectPath({ cluster: "edge", kind: "ClusterRole", namespace: "", name: "a:b/c" })).toBe(
    "/c/edge/o/rbac.authorization.k8s.io/v1/clusterroles/-/a%3Ab%2Fc",
  );
  expect(objectPath({ ...pod, cluster: undefined })).toBeUndefined();
  expect(objectPath({ ...pod, kind: "Rollout.argoproj.io" })).toBeUndefined();
});
