import { describe, expect, test } from "vitest";

import { parseKubernetesRequest, type KubernetesRequest } from "./kubernetes-request.ts";
import { pathSegments } from "./cluster-target.ts";

/** The fields that are not empty, and `isStream` when it is one. */
function parse(line: string): Partial<KubernetesRequest> {
  const [method = "", url = ""] = line.split(" ");
  const [path = "", ...queries] = url.split("?");
  const query = queries.join("?");
  const request = parseKubernetesRequest({ method, segments: pathSegments(path), query });
  return Object.fromEntries(Object.entries(request).filter(([, value]) => value !== "" && value !== false));
}

const core = { isResource: true, version: "v1" };
const apps = { isResource: true, group: "apps", version: "v1" };
const pods = { ...core, resource: "pods", namespace: "shop" };
const web = { ...pods, name: "web" };

describe("a request for a resource", () => {
  test.each<[string, Partial<KubernetesRequest>]>([
    // Verbs, by method and by whether there is a name.
    ["GET /api/v1/namespaces/shop/pods/web", { ...web, verb: "get" }],
    ["HEAD /api/v1/namespaces/shop/pods/web", { ...web, verb: "get" }],
    ["GET /api/v1/namespaces/shop/pods", { ...pods, verb: "list" }],
    ["GET /api/v1/namespaces/shop/pods/", { ...pods, verb: "list" }],
    ["POST /api/v1/namespaces/shop/pods", { ...pods, verb: "create" }],
    ["PUT /api/v1/namespaces/shop/pods/web", { ...web, verb: "update" }],
    ["PATCH /api/v1/namespaces/shop/pods/web", { ...web, verb: "patch" }],
    ["DELETE /api/v1/namespaces/shop/pods/web", { ...web, verb: "delete" }],
    ["DELETE /api/v1/namespaces/shop/pods", { ...pods, verb: "deletecollection" }],
    ["OPTIONS /api/v1/namespaces/shop/pods", { ...pods, verb: "options" }],

    // Groups, and everything that is in no namespace or in all.
    [
      "GET /apis/apps/v1/namespaces/shop/deployments",
      { ...apps, verb: "list", resource: "deployments", namespace: "shop" },
    ],
    ["GET /apis/apps/v1/deployments", { ...apps, verb: "list", resource: "deployments" }],
    ["GET /api/v1/pods", { ...core, verb: "list", resource: "pods" }],
    ["GET /api/v1/nodes/n1", { ...core, verb: "get", resource: "nodes", name: "n1" }],
    [
      "POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
      {
        isResource: true,
        group: "authorization.k8s.io",
        version: "v1",
        verb: "create",
        resource: "selfsubjectaccessreviews",
      },
    ],
    [
      "GET /apis/rbac.authorization.k8s.io/v1/clusterroles/system:node",
      {
        isResource: true,
        group: "rbac.authorization.k8s.io",
        version: "v1",
        verb: "get",
        resource: "clusterroles",
        name: "system:node",
      },
    ],
    [
      "GET /apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Anode",
      {
        isResource: true,
        group: "rbac.authorization.k8s.io",
        version: "v1",
        verb: "get",
        resource: "clusterroles",
        name: "system:node",
      },
    ],

    // Namespaces are in themselves, and have subresources that look like resources.
    ["GET /api/v1/namespaces", { ...core, verb: "list", resource: "namespaces" }],
    ["POST /api/v1/namespaces", { ...core, verb: "create", resource: "namespaces" }],
    [
      "GET /api/v1/namespaces/shop",
      { ...core, verb: "get", resource: "namespaces", namespace: "shop", name: "shop" },
    ],
    [
      "DELETE /api/v1/namespaces/shop",
      { ...core, verb: "delete", resource: "namespaces", namespace: "shop", name: "shop" },
    ],
    [
      "PUT /api/v1/namespaces/shop/finalize",
      {
        ...core,
        verb: "update",
        resource: "namespaces",
        subresource: "finalize",
        namespace: "shop",
        name: "shop",
      },
    ],
    [
      "PATCH /api/v1/namespaces/shop/status",
      {
        ...core,
        verb: "patch",
        resource: "namespaces",
        subresource: "status",
        namespace: "shop",
        name: "shop",
      },
    ],
    [
      "GET /api/v1/namespaces/shop/widgets",
      { ...core, verb: "list", resource: "widgets", namespace: "shop" },
    ],

    // Subresources.
    ["GET /api/v1/namespaces/shop/pods/web/log", { ...web, verb: "get", subresource: "log" }],
    [
      "POST /api/v1/namespaces/shop/pods/web/exec?command=sh",
      { ...web, verb: "create", subresource: "exec" },
    ],
    ["GET /api/v1/namespaces/shop/pods/web/exec?command=sh", { ...web, verb: "get", subresource: "exec" }],
    [
      "POST /api/v1/namespaces/shop/pods/web/portforward",
      { ...web, verb: "create", subresource: "portforward" },
    ],
    ["POST /api/v1/namespaces/shop/pods/web/eviction", { ...web, verb: "create", subresource: "eviction" }],
    [
      "PATCH /apis/apps/v1/namespaces/shop/deployments/web/scale",
      {
        ...apps,
        verb: "patch",
        resource: "deployments",
        subresource: "scale",
        namespace: "shop",
        name: "web",
      },
    ],
    [
      "GET /api/v1/nodes/n1/proxy/logs/",
      { ...core, verb: "get", resource: "nodes", subresource: "proxy", name: "n1" },
    ],
    [
      "GET /api/v1/namespaces/shop/services/http:web:80/proxy/a//b%2Fc",
      {
        ...core,
        verb: "get",
        resource: "services",
        subresource: "proxy",
        namespace: "shop",
        name: "http:web:80",
      },
    ],
    [
      "DELETE /api/v1/namespaces/shop/services/web/proxy/item",
      { ...core, verb: "delete", resource: "services", subresource: "proxy", namespace: "shop", name: "web" },
    ],

    // Streams.
    ["GET /api/v1/namespaces/shop/pods?watch=true", { ...pods, verb: "watch", isStream: true }],
    [
      "GET /api/v1/namespaces/shop/pods?watch=1&resourceVersion=5",
      { ...pods, verb: "watch", isStream: true },
    ],
    ["GET /api/v1/namespaces/shop/pods?limit=5&watch", { ...pods, verb: "watch", isStream: true }],
    ["GET /api/v1/namespaces/shop/pods?watch=False", { ...pods, verb: "list" }],
    ["GET /api/v1/namespaces/shop/pods?watch=0", { ...pods, verb: "list" }],
    ["GET /api/v1/namespaces/shop/pods?labelSelector=watch", { ...pods, verb: "list" }],
    ["GET /api/v1/namespaces/shop/pods/web?watch=1", { ...web, verb: "get" }],
    ["POST /api/v1/namespaces/shop/pods?watch=1", { ...pods, verb: "create" }],
    [
      "GET /api/v1/namespaces/shop/pods?fieldSelector=metadata.name%3Dweb&watch=1",
      { ...web, verb: "watch", isStream: true },
    ],
    [
      "GET /api/v1/namespaces/shop/pods?fieldSelector=status.phase%3DRunning,metadata.name%3D%3Dweb",
      { ...web, verb: "list" },
    ],
    ["GET /api/v1/namespaces/shop/pods?fieldSelector=metadata.name%3D..%2Fx", { ...pods, verb: "list" }],
    [
      "GET /api/v1/namespaces/shop/pods/web/log?follow=true",
      { ...web, verb: "get", subresource: "log", isStream: true },
    ],
    ["GET /api/v1/namespaces/shop/pods/web/log?follow=false", { ...web, verb: "get", subresource: "log" }],

    // Queries are read as the API server reads them, however they are written.
    ["GET /api/v1/namespaces/shop/pods?wat%63h=1", { ...pods, verb: "watch", isStream: true }],
    ["GET /api/v1/namespaces/shop/pods?watch=%ff", { ...pods, verb: "watch", isStream: true }],
    ["GET /api/v1/namespaces/shop/pods?watch=0;&watch=1", { ...pods, verb: "watch", isStream: true }],
    ["GET /api/v1/namespaces/shop/pods?watch=%30", { ...pods, verb: "list" }],
    ["GET /api/v1/namespaces/shop/pods?watch=0&watch=1", { ...pods, verb: "list" }],
    ["GET /api/v1/namespaces/shop/pods?watch=1;", { ...pods, verb: "list" }],
    ["GET /api/v1/namespaces/shop/pods?watch=%zz", { ...pods, verb: "list" }],
    ["GET /api/v1/namespaces/shop/pods??watch=1", { ...pods, verb: "list" }],
    ["GET /api/v1/namespaces/shop/pods?field%53elector=metadata.name%3Dweb", { ...web, verb: "list" }],
    [
      "GET /api/v1/namespaces/shop/pods/web/log?foll%6Fw",
      { ...web, verb: "get", subresource: "log", isStream: true },
    ],

    // Verbs in the path, as very old clients write them.
    ["GET /api/v1/watch/namespaces/shop/pods", { ...pods, verb: "watch", isStream: true }],
    [
      "GET /api/v1/watch/namespaces/shop/pods?fieldSelector=metadata.name%3Dweb",
      { ...pods, verb: "watch", isStream: true },
    ],
    ["GET /api/v1/watch/pods", { ...core, verb: "watch", resource: "pods", isStream: true }],
    [
      "GET /apis/apps/v1/watch/namespaces/shop/deployments/web",
      { ...apps, verb: "watch", resource: "deployments", namespace: "shop", name: "web", isStream: true },
    ],
    ["GET /api/v1/proxy/namespaces/shop/pods/web/x/y", { ...web, verb: "proxy" }],
  ])("%s", (line, expected) => {
    expect(parse(line)).toEqual(expected);
  });
});

describe("a request for no resource", () => {
  test.each([
    "/",
    "/api",
    "/api/",
    "/api/v1",
    "/apis",
    "/apis/apps",
    "/apis/apps/v1",
    "/apis/apps/v1/",
    "/version",
    "/openapi/v3/apis/apps/v1",
    "/healthz/etcd",
    "/metrics",
    "/API/v1/namespaces/shop/pods",
    "/apix/v1/namespaces/shop/pods",
  ])("GET %s", (path) => {
    expect(parse(`GET ${path}`)).toEqual({ verb: "get" });
  });

  test("has its method as its verb", () => {
    expect(parse("POST /version")).toEqual({ verb: "post" });
    expect(parse("HEAD /healthz")).toEqual({ verb: "head" });
  });
});
