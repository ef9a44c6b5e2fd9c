import { expect, test } from "vitest";

import {
  kubectlCommand,
  listPath,
  objectParams,
  objectPath,
  objectPlace,
  splitApiVersion,
  type ObjectPlace,
} from "./places.ts";

const pod: ObjectPlace = {
  cluster: "prod",
  group: "",
  version: "v1",
  resource: "pods",
  namespace: "shop",
  name: "web-1",
};
const node: ObjectPlace = { cluster: "prod", group: "", version: "v1", resource: "nodes", name: "worker-1" };
const deployment: ObjectPlace = { ...pod, group: "apps", resource: "deployments", name: "web" };

test.each([
  [pod, "/clusters/prod/api/v1/namespaces/shop/pods/web-1", "core", "shop"],
  [node, "/clusters/prod/api/v1/nodes/worker-1", "core", "-"],
  [deployment, "/clusters/prod/apis/apps/v1/namespaces/shop/deployments/web", "apps", "shop"],
])(
  "%j has a path in its cluster, and an address in the page that means the same",
  (place, path, group, namespace) => {
    expect(objectPath(place)).toBe(path);
    expect(objectParams(place)).toMatchObject({ group, namespace });
    expect(objectPlace(objectParams(place))).toEqual(place);
  },
);

test("a list is of one namespace or of all, and has its selectors escaped", () => {
  expect(listPath(deployment)).toBe("/clusters/prod/apis/apps/v1/deployments");
  expect(listPath(deployment, { namespace: "shop", labelSelector: "app in (a,b)" })).toBe(
    "/clusters/prod/apis/apps/v1/namespaces/shop/deployments?labelSelector=app+in+%28a%2Cb%29",
  );
  expect(listPath(deployment, { labelSelector: undefined })).toBe("/clusters/prod/apis/apps/v1/deployments");
});

test.each([
  { ...pod, cluster: "../api" },
  { ...pod, group: "../.." },
  { ...pod, resource: "pods/../secrets" },
  { ...pod, namespace: "a/b" },
])("an address that somebody made up, as %j, leads to no other path", (place) => {
  expect(objectPath(place)).toMatch(/^\/clusters\/[^/]+\/apis?\/(?:[^/]+\/)+web-1$/u);
  expect(objectPath(place).split("/")).not.toContain("..");
});

test.each([{ cluster: ".." }, { group: ".." }, { version: "." }, { resource: "" }])(
  "%j is no part of an address",
  (part) => {
    expect(() => objectPath({ ...pod, ...part })).toThrow("no part of an address");
  },
);

test.each(["", ".", ".."])("%j is no name of an object", (name) => {
  expect(() => objectPath({ ...pod, name })).toThrow("not a name");
});

test("the command for a terminal names the context, and quotes what a shell would take for something else", () => {
  expect(kubectlCommand(deployment)).toBe("kubectl --context bowline-prod -n shop get deployments.apps web");
  expect(kubectlCommand(node, "describe")).toBe("kubectl --context bowline-prod describe nodes worker-1");
  expect(kubectlCommand({ ...node, name: "a; rm -rf 'x'" })).toBe(
    `kubectl --context bowline-prod get nodes 'a; rm -rf '\\''x'\\'''`,
  );
});

test.each([
  ["v1", { group: "", version: "v1" }],
  ["apps/v1", { group: "apps", version: "v1" }],
])("the apiVersion %s is %j", (apiVersion, parts) => {
  expect(splitApiVersion(apiVersion)).toEqual(parts);
});

test("half a character in a name, which no address can hold, is replaced", () => {
  const broken = { ...deployment, namespace: "sh\uD800op", name: "\uDC00web" };
  expect(objectParams(broken)).toMatchObject({ namespace: "sh\uFFFDop", name: "\uFFFDweb" });
  expect(objectPath(broken)).toContain("/namespaces/sh%EF%BF%BDop/deployments/%EF%BF%BDweb");
});
