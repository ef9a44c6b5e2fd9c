import { describe, expect, it } from "vitest";
import type { ResourceRef } from "../object.ts";
import { resourcePath } from "./resource-path.ts";

const pods: ResourceRef = { group: "", version: "v1", plural: "pods", kind: "Pod", namespaced: true };
const nodes: ResourceRef = { group: "", version: "v1", plural: "nodes", kind: "Node", namespaced: false };
const deployments: ResourceRef = {
  group: "apps",
  version: "v1",
  plural: "deployments",
  kind: "Deployment",
  namespaced: true,
};

describe("resourcePath", () => {
  it("addresses a collection in every namespace, in one, and an object", () => {
    expect(resourcePath(pods)).toBe("/api/v1/pods");
    expect(resourcePath(pods, { namespace: "shop" })).toBe("/api/v1/namespaces/shop/pods");
    expect(resourcePath(deployments, { namespace: "shop", name: "web" })).toBe(
      "/apis/apps/v1/namespaces/shop/deployments/web",
    );
  });

  it("addresses subresources", () => {
    expect(resourcePath(pods, { namespace: "shop", name: "web-0", subresource: "status" })).toBe(
      "/api/v1/namespaces/shop/pods/web-0/status",
    );
  });

  it("ignores the namespace of a resource that has none", () => {
    expect(resourcePath(nodes, { namespace: "shop", name: "n1" })).toBe("/api/v1/nodes/n1");
  });

  it("escapes names, so that no name can reach another path", () => {
    expect(resourcePath(pods, { namespace: "a/b", name: "../secrets?x" })).toBe(
      "/api/v1/namespaces/a%2Fb/pods/..%2Fsecrets%3Fx",
    );
  });

  it.each(["", ".", ".."])("refuses %j as a name: it would address the collection or its parent", (name) => {
    expect(() => resourcePath(pods, { namespace: "shop", name })).toThrow(/not a name/);
  });

  it("writes the query without empty members", () => {
    expect(
      resourcePath(
        pods,
        {},
        { labelSelector: "app in (a,b)", limit: 500, watch: true, continue: "", fieldSelector: undefined },
      ),
    ).toBe("/api/v1/pods?labelSelector=app+in+%28a%2Cb%29&limit=500&watch=true");
  });
});
