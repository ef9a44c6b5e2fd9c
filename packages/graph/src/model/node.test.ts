import { describe, expect, test } from "vitest";

import { containerRef, nodeKey, nodeKind, parseNodeKey, volumeRef } from "./node.ts";

describe("a node's key", () => {
  test.each([
    { kind: "Secret", namespace: "shop", name: "db" },
    { kind: "Node", namespace: "", name: "worker-1" },
    { kind: "User", namespace: "", name: "oidc:https://issuer/somebody" },
    containerRef("shop", "web-0", "initContainers", "setup"),
    volumeRef("shop", "web-0", "data"),
  ])("is read back: $kind $name", (ref) => {
    expect(parseNodeKey(nodeKey(ref))).toEqual(ref);
  });

  test.each(["", "Secret", "Secret/shop", "/shop/db", "Secret/shop/"])("is not %j", (text) => {
    expect(parseNodeKey(text)).toBeUndefined();
  });
});

test("kinds of custom resources have their group, those of Kubernetes go without", () => {
  expect(nodeKind("apps", "Deployment")).toBe("Deployment");
  expect(nodeKind("argoproj.io", "Rollout")).toBe("Rollout.argoproj.io");
});

test("volumes of the same name in two pods are two", () => {
  expect(nodeKey(volumeRef("a", "one", "config"))).not.toBe(nodeKey(volumeRef("a", "two", "config")));
});
