import { expect, test } from "vitest";

import { kindGroups, readApis } from "./discovery.ts";

const resource = (plural: string, kind: string, more: object = {}): object => ({
  resource: plural,
  responseKind: { kind },
  scope: "Namespaced",
  verbs: ["get", "list", "watch"],
  ...more,
});

const aggregated: Readonly<Record<string, unknown>> = {
  "/api": {
    kind: "APIGroupDiscoveryList",
    items: [
      {
        metadata: {},
        versions: [
          {
            version: "v1",
            resources: [
              resource("secrets", "Secret"),
              resource("pods", "Pod"),
              resource("bindings", "Binding", { verbs: ["create"] }),
              resource("podtemplates", "PodTemplate"),
            ],
          },
        ],
      },
    ],
  },
  "/apis": {
    kind: "APIGroupDiscoveryList",
    items: [
      {
        metadata: { name: "example.com" },
        versions: [
          { version: "v2", resources: [resource("widgets", "Widget"), resource("gadgets", "Gadget")] },
          { version: "v1", resources: [resource("widgets", "Widget")] },
        ],
      },
      {
        metadata: { name: "apps" },
        versions: [{ version: "v1", resources: [resource("deployments", "Deployment")] }],
      },
    ],
  },
};

const old: Readonly<Record<string, unknown>> = {
  "/api": { kind: "APIVersions", versions: ["v1"] },
  "/api/v1": { resources: [{ name: "pods", kind: "Pod", namespaced: true, verbs: ["list"] }] },
  "/apis": {
    kind: "APIGroupList",
    groups: [{ name: "apps", versions: [{ version: "v1" }], preferredVersion: { version: "v1" } }],
  },
  "/apis/apps/v1": {
    resources: [{ name: "deployments", kind: "Deployment", namespaced: true, verbs: ["list"] }],
  },
};

function shown(answers: Readonly<Record<string, unknown>>): Promise<Record<string, string[]>> {
  return readApis((path) => Promise.resolve(answers[path] ?? {})).then((apis) =>
    Object.fromEntries(
      kindGroups(apis).map(({ name, kinds }) => [
        name,
        kinds.map(({ version, kind }) => `${version} ${kind}`),
      ]),
    ),
  );
}

test("kinds that can be listed are there once, in the version the server prefers, the well-known first", async () => {
  expect(Object.entries(await shown(aggregated))).toEqual([
    ["Workloads", ["v1 Pod", "v1 Deployment"]],
    ["Configuration", ["v1 Secret"]],
    ["core", ["v1 PodTemplate"]],
    ["example.com", ["v2 Gadget", "v2 Widget"]],
  ]);
});

test("a cluster that tells them the old way is asked group by group", async () => {
  expect(await shown(old)).toEqual({ Workloads: ["v1 Pod", "v1 Deployment"] });
});
