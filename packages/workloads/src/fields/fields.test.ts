import type { KubeObject } from "@bowline/kube";
import { describe, expect, test } from "vitest";

import { findField } from "./field-path.ts";
import { leaveOut } from "./leave-out.ts";
import { ownsField, withoutFields } from "./owned-fields.ts";

const object: KubeObject = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", annotations: { "example.com/note": "x", example: "y" } },
  spec: {
    replicas: 3,
    containers: [
      { name: "main", image: "a", ports: [{ containerPort: 80 }, { containerPort: 80, protocol: "UDP" }] },
      { name: "side]car", image: "b", args: ["one", "two"] },
    ],
  },
};

describe("a path", () => {
  test.each([
    ["spec.replicas", ["spec", "replicas"]],
    [".spec.replicas", ["spec", "replicas"]],
    [".metadata.annotations.example.com/note", ["metadata", "annotations", "example.com/note"]],
    ['metadata.annotations["example.com/note"]', ["metadata", "annotations", "example.com/note"]],
    ["metadata.annotations.example", ["metadata", "annotations", "example"]],
    ['.spec.containers[name="main"].image', ["spec", "containers", 0, "image"]],
    ['.spec.containers[name="side]car"].image', ["spec", "containers", 1, "image"]],
    ['.spec.containers[name="side]car"].args[="two"]', ["spec", "containers", 1, "args", 1]],
    ["spec.containers[1].args[0]", ["spec", "containers", 1, "args", 0]],
    [
      '.spec.containers[name="main"].ports[containerPort=80,protocol="UDP"].protocol',
      ["spec", "containers", 0, "ports", 1, "protocol"],
    ],
    [
      '.spec.containers[name="main"].ports[containerPort=80,protocol="TCP"]',
      ["spec", "containers", 0, "ports", 0],
    ],
  ])("%s leads to a field", (path, expected) => {
    expect(findField(object, path)).toEqual(expected);
  });

  test.each([
    "",
    "spec.missing",
    "spec.replicas.deeper",
    'spec.containers[name="other"]',
    "spec.containers[7]",
    "spec.containers[",
    "spec[name=]",
    "metadata.annotations.example.com",
    "x".repeat(5_000),
  ])("%j leads nowhere", (path) => {
    expect(findField(object, path)).toBeUndefined();
  });
});

describe("fields that are left to others", () => {
  const owned = {
    "f:spec": {
      "f:replicas": {},
      "f:containers": { 'k:{"name":"main"}': { ".": {}, "f:image": {}, "f:name": {} } },
    },
  };
  const live: KubeObject = {
    ...object,
    metadata: {
      ...object.metadata,
      managedFields: [{ manager: "bowline", operation: "Apply", fieldsV1: owned }],
    },
    spec: { replicas: 7, containers: [{ name: "main", image: "live" }] },
  };

  test("are not in what is sent, and neither is what held nothing else", () => {
    const paths = [
      "spec.replicas",
      'metadata.annotations["example.com/note"]',
      "metadata.annotations.example",
    ];
    const sent = leaveOut(object, paths, undefined);
    expect(sent).toEqual({ ...object, metadata: { name: "web" }, spec: { containers: expect.any(Array) } });
    expect(leaveOut(object, ["metadata.name", "kind", "metadata"], undefined)).toMatchObject({
      kind: "Deployment",
      metadata: { name: "web" },
    });
  });

  test("are sent as they are while they are still ours, so that they are not removed", () => {
    const sent = leaveOut(object, ["spec.replicas", 'spec.containers[name="main"].image'], live);
    expect(sent).toMatchObject({
      spec: { replicas: 7, containers: [{ image: "live" }, { name: "side]car" }] },
    });
    const { managedFields: _, ...metadata } = live.metadata;
    expect(leaveOut(object, ["spec.replicas"], { ...live, metadata })["spec"]).not.toHaveProperty("replicas");
  });

  test("are known to be ours, also as part of a whole", () => {
    expect(ownsField(owned, live, ["spec", "replicas"])).toBe(true);
    expect(ownsField(owned, live, ["spec", "containers", 0, "image"])).toBe(true);
    expect(ownsField(owned, live, ["spec", "containers", 0, "args"])).toBe(false);
    expect(ownsField({ "f:spec": {} }, live, ["spec", "replicas"])).toBe(true);
    expect(ownsField({ "f:data": {} }, live, ["spec", "replicas"])).toBe(false);
  });

  test("of one manager can be taken from those of another", () => {
    const theirs = { "f:data": { ".": {}, "f:a": {}, "f:b": {} }, "f:spec": { "f:replicas": {} } };
    expect(withoutFields(theirs, { "f:data": { "f:a": {} } })).toEqual({
      "f:data": { ".": {}, "f:b": {} },
      "f:spec": { "f:replicas": {} },
    });
    expect(withoutFields(theirs, theirs)).toBeUndefined();
  });
});
