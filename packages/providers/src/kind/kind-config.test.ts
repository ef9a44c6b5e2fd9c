import { expect, test } from "vitest";

import { kindClusterName, kindConfig, kindWish } from "./kind-config.ts";
import { findMark, markPath } from "./node-mark.ts";

const mark = { installation: "i-1", cluster: "c-1", name: "web", token: "t-1" };

test("one node is a control plane that carries the mark", () => {
  expect(kindConfig(kindWish({ provider: "kind" }), mark)).toEqual({
    kind: "Cluster",
    apiVersion: "kind.x-k8s.io/v1alpha4",
    nodes: [
      {
        role: "control-plane",
        extraMounts: [
          { hostPath: "/dev/null", containerPath: "/bowline.dev/i-1/c-1/web/t-1", readOnly: true },
        ],
      },
    ],
  });
});

test("ports lead to the first node, and every node has the image and the mark", () => {
  const kind = { nodes: 3, kubernetesVersion: "1.36.1", ports: [{ host: 8080, node: 80 }] };
  const { nodes } = kindConfig(kindWish({ provider: "kind", kind }), mark);
  expect(nodes.map(({ role, image }) => [role, image])).toEqual([
    ["control-plane", "kindest/node:v1.36.1"],
    ["worker", "kindest/node:v1.36.1"],
    ["worker", "kindest/node:v1.36.1"],
  ]);
  expect(nodes.map(({ extraPortMappings }) => extraPortMappings)).toEqual([
    [{ hostPort: 8080, containerPort: 80 }],
    undefined,
    undefined,
  ]);
  expect(new Set(nodes.map(({ extraMounts }) => extraMounts[0]?.containerPath)).size).toBe(1);
});

test("an image that somebody names is stronger than the version", () => {
  const kind = { nodes: 1, kubernetesVersion: "1.36", image: "registry.example.com/node:v1.36.1@sha256:0a" };
  expect(kindWish({ provider: "kind", kind }).image).toBe(kind.image);
});

test.each([
  [{ kubernetesVersion: "1.36" }, "VersionNotOffered"],
  [{ image: "--volume=/:/host" }, "Preflight"],
  [{ image: "node image" }, "Preflight"],
])("%j is refused", (settings, reason) => {
  const spec = { provider: "kind" as const, kind: { nodes: 1, ...settings } };
  expect(() => kindWish(spec)).toThrow(expect.objectContaining({ details: { reason } }));
});

test("names fit, end well, and differ for clusters of one name", () => {
  const id = "018f0000-0000-7000-8000-00000012ab3c";
  expect(kindClusterName({ id, name: "web" })).toBe("bowline-web-12ab3c");
  const long = kindClusterName({ id, name: `${"a".repeat(34)}-${"b".repeat(28)}` });
  expect(long).toBe(`bowline-${"a".repeat(34)}-12ab3c`);
  expect(long.length).toBeLessThanOrEqual(50);
});

test("a mark is found among other mounts, and nothing else is taken for one", () => {
  expect(findMark(["/var", "/lib/modules", markPath(mark)])).toEqual(mark);
  for (const path of [
    "/bowline.dev",
    "/bowline.dev/a/b/c",
    "/bowline.dev/a/b/c/d/e",
    "/x/a/b/c/d",
    "/bowline.dev//b/c/d",
  ]) {
    expect(findMark([path])).toBeUndefined();
  }
});
