import { expect, test } from "vitest";

import type { ClusterAccess } from "@bowline/auth";
import { parseClusterTarget } from "../request/cluster-target.ts";
import { parseKubernetesRequest } from "../request/kubernetes-request.ts";
import { chooseGrant } from "./admit-request.ts";

const access = (grant: string, namespaces?: readonly string[]): ClusterAccess => ({
  grant,
  kubernetesUser: grant,
  groups: [],
  namespaces,
});
const held = [access("shop", ["shop"]), access("data", ["data", "shop"])];
const all = [...held, access("all")];

/** The grant that counts when there are only grants for namespaces, and when there is one for all. */
test.each([
  ["GET /api/v1/namespaces/shop/pods", "shop", "shop"],
  ["GET /api/v1/namespaces/data/pods", "data", "data"],
  ["GET /api/v1/namespaces/other/pods", undefined, "all"],
  ["GET /api/v1/namespaces/shop", "shop", "shop"],
  ["GET /api/v1/namespaces/other", undefined, "all"],
  ["GET /api/v1/namespaces", undefined, "all"],
  ["GET /api/v1/pods", undefined, "all"],
  ["GET /api/v1/watch/pods", undefined, "all"],
  ["GET /api/v1/watch/namespaces/data/pods", "data", "data"],
  ["GET /api/v1/nodes/n1", undefined, "all"],
  ["GET /api/v1/nodes/n1/proxy/pods", undefined, "all"],
  ["GET /apis/apps/v1/deployments?watch=1", undefined, "all"],
  ["POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews", "shop", "shop"],
  ["POST /apis/authorization.k8s.io/v1/subjectaccessreviews", undefined, "all"],
  ["POST /apis/evil.example/v1/selfsubjectaccessreviews", undefined, "all"],
  ["POST /apis/authorization.k8s.io/v1/namespaces/other/localsubjectaccessreviews", undefined, "all"],
  ["GET /api", "shop", "shop"],
  ["GET /apis/apps/v1", "shop", "shop"],
  ["GET /openapi/v3", "shop", "shop"],
  ["GET /version", "shop", "shop"],
])("%s", (line, amongHeld, amongAll) => {
  const [method = "", path = ""] = line.split(" ");
  const request = parseKubernetesRequest({ method, ...parseClusterTarget(`/clusters/prod${path}`) });
  expect(chooseGrant(held, request)?.grant).toBe(amongHeld);
  expect(chooseGrant(all, request)?.grant).toBe(amongAll);
  expect(chooseGrant([], request)).toBeUndefined();
});
