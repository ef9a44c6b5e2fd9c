import { expect, test } from "vitest";

import { addressParams, resourceOf } from "./object-address.ts";

test.each([
  ["Pod", "pods"],
  ["Ingress", "ingresses"],
  ["NetworkPolicy", "networkpolicies"],
  ["Gateway", "gateways"],
  ["Endpoints", "endpoints"],
  ["StorageClass", "storageclasses"],
  ["Batch", "batches"],
])("objects of kind %s are %s", (kind, resource) => {
  expect(resourceOf(kind)).toBe(resource);
});

test("the way to an object has a word for what it has not", () => {
  const pod = { cluster: "edge", group: "", version: "v1", kind: "Pod", namespace: "shop", name: "web" };
  expect(addressParams(pod)).toEqual({
    cluster: "edge",
    group: "core",
    version: "v1",
    resource: "pods",
    namespace: "shop",
    name: "web",
  });
  expect(addressParams({ ...pod, kind: "Node", namespace: "" })).toMatchObject({
    resource: "nodes",
    namespace: "-",
  });
});
