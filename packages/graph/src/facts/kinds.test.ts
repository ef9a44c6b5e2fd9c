import { describe, expect, test } from "vitest";

import { graphKinds, kindFacts } from "./kinds.ts";
import { chosenAnnotations } from "./metadata.ts";
import { factsOf, toldEdges } from "./testing/told.ts";

test("each kind is there once", () => {
  const names = graphKinds.map(({ group, kind }) => `${group}/${kind}`);
  expect(new Set(names).size).toBe(names.length);
  expect(graphKinds.map(({ kind }) => kind).toSorted()).toEqual([
    "ClusterRole",
    "ClusterRoleBinding",
    "ConfigMap",
    "CronJob",
    "DaemonSet",
    "Deployment",
    "EndpointSlice",
    "GRPCRoute",
    "Gateway",
    "HTTPRoute",
    "Ingress",
    "Job",
    "Namespace",
    "NetworkPolicy",
    "Node",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "Pod",
    "ReplicaSet",
    "Role",
    "RoleBinding",
    "Secret",
    "Service",
    "ServiceAccount",
    "StatefulSet",
    "TCPRoute",
    "TLSRoute",
    "UDPRoute",
  ]);
});

test.each(graphKinds.filter(({ namespaced }) => namespaced === false))(
  "an owner of kind $kind is looked for in no namespace",
  ({ group, kind }) => {
    const ownerReferences = [
      { apiVersion: group === "" ? "v1" : `${group}/v1`, kind, name: "owner", uid: "u" },
    ];
    expect(toldEdges(factsOf("v1", "ConfigMap", { metadata: { ownerReferences } }))).toEqual([
      `OWNS: ${kind}//owner → it, /metadata/ownerReferences/0`,
    ]);
  },
);

describe("an object of any other kind", () => {
  const metadata = {
    labels: { app: "web" },
    creationTimestamp: "2026-11-16T10:00:00Z",
    deletionTimestamp: "2026-11-16T11:00:00Z",
    ownerReferences: [
      { apiVersion: "example.com/v1", kind: "Shop", name: "one", uid: "u", controller: true },
    ],
  };

  test("has a node with its group, its labels and its owners", () => {
    const facts = factsOf("example.com/v1", "Widget", { metadata, spec: { password: "canary" } });
    expect(facts).toEqual({
      node: { kind: "Widget.example.com", namespace: "shop", name: "web" },
      uid: "uid-1",
      properties: { createdAt: "2026-11-16T10:00:00Z", isTerminating: true, labels: { app: "web" } },
      parts: [],
      edges: [
        {
          type: "OWNS",
          from: { kind: "Shop.example.com", namespace: "shop", name: "one" },
          to: 0,
          at: "/metadata/ownerReferences/0",
          properties: { controller: true, uid: "u" },
        },
      ],
      selections: [],
    });
  });

  test("needs no more than metadata", () => {
    expect(kindFacts({ group: "example.com", kind: "Widget" })).toMatchObject({
      group: "example.com",
      kind: "Widget",
      namespaced: undefined,
      metadataOnly: true,
    });
  });
});

test("annotations are told that people ask about, and no others", () => {
  const annotations = {
    "kubectl.kubernetes.io/last-applied-configuration": "canary",
    "example.com/notes": "canary",
    ...Object.fromEntries(chosenAnnotations.map((name) => [name, "chosen"])),
  };
  const told = factsOf("apps/v1", "Deployment", { metadata: { annotations } }).properties["annotations"];
  expect(told).toEqual(Object.fromEntries(chosenAnnotations.map((name) => [name, "chosen"])));
});

describe("fields that are read", () => {
  test.each(graphKinds)("of $kind: no values of variables, no commands, no data", ({ fields }) => {
    const paths = pathsOf(fields);
    expect(paths).not.toContainEqual(
      expect.stringMatching(/\.(?:env\.value|command|args|data|stringData)$/u),
    );
    expect(paths).not.toContainEqual(expect.stringMatching(/last-applied|managedFields/u));
  });
});

function pathsOf(fields: object, before = ""): string[] {
  return Object.entries(fields).flatMap(([name, part]: [string, true | object]) =>
    part === true ? [`${before}.${name}`] : [`${before}.${name}`, ...pathsOf(part, `${before}.${name}`)],
  );
}
