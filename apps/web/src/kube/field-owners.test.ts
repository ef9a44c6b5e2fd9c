import type { KubeObject } from "@bowline/kube/shapes";
import { expect, test } from "vitest";

import type { Path } from "./change-patch.ts";
import { ownersOf } from "./field-owners.ts";

const deployment: KubeObject = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: {
    name: "web",
    finalizers: ["a", "b"],
    managedFields: [
      {
        manager: "bowline",
        operation: "Apply",
        fieldsV1: {
          "f:spec": {
            "f:replicas": {},
            "f:template": {
              "f:spec": { "f:containers": { 'k:{"name":"web"}': { ".": {}, "f:image": {}, "f:name": {} } } },
            },
          },
        },
      },
      {
        manager: "autoscaler",
        operation: "Update",
        subresource: "scale",
        fieldsV1: { "f:spec": { "f:replicas": {} } },
      },
      {
        manager: "kubectl",
        operation: "Update",
        fieldsV1: {
          "f:metadata": { "f:finalizers": { ".": {}, 'v:"a"': {} }, "f:annotations": {} },
          "f:spec": { "f:args": { "i:1": {} } },
        },
      },
      { manager: "broken", fieldsV1: { "k:nonsense": {} } },
    ],
  },
  spec: {
    replicas: 3,
    args: ["x", "y"],
    template: {
      spec: {
        containers: [
          { name: "sidecar", image: "s" },
          { name: "web", image: "w" },
        ],
      },
    },
  },
};

const image = (index: number): Path => ["spec", "template", "spec", "containers", index, "image"];

test.each<[Path, string[]]>([
  [
    ["spec", "replicas"],
    ["bowline", "autoscaler"],
  ],
  [image(1), ["bowline"]],
  [image(0), []],
  [["spec", "template", "spec", "containers", 2], []],
  [["metadata", "finalizers", 0], ["kubectl"]],
  [["metadata", "finalizers", 1], []],
  [["metadata", "annotations", "anything"], ["kubectl"]],
  [["spec", "args", 1], ["kubectl"]],
  [["spec", "paused"], []],
])("%j is owned by %j", (path, managers) => {
  expect(ownersOf(deployment, path).map(({ manager }) => manager)).toEqual(managers);
});

test("an owner by way of a subresource is known as such", () => {
  expect(ownersOf(deployment, ["spec", "replicas"])).toEqual([
    { manager: "bowline", operation: "Apply" },
    { manager: "autoscaler", operation: "Update", subresource: "scale" },
  ]);
});
