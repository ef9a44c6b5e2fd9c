import { startKubesim } from "@bowline/kubesim";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { agentManifest, type KubernetesObject } from "@bowline/api/agent-manifest";

/** The manifest in a cluster: the API server checks every field, and RBAC every request of the agent. */
const objects = agentManifest({
  cluster: "prod-eu-1",
  namespace: "bowline-system",
  joinToken: "bwj_secret",
  image: "bowline:1.2.3",
  rights: "tunnel",
}).map(({ object }) => object);
const keySecret = "/api/v1/namespaces/bowline-system/secrets/bowline-agent-key";
const plurals: Readonly<Record<string, string>> = {
  Namespace: "namespaces",
  ServiceAccount: "serviceaccounts",
  ClusterRole: "clusterroles",
  ClusterRoleBinding: "clusterrolebindings",
  Role: "roles",
  RoleBinding: "rolebindings",
  Secret: "secrets",
  Lease: "leases",
  Deployment: "deployments",
};

let sim: Awaited<ReturnType<typeof startKubesim>>;
let agentToken = "";
const firstApplied: [kind: string, status: number][] = [];

beforeAll(async () => {
  sim = await startKubesim({ tls: false, controllers: false });
  for (const object of objects) firstApplied.push([object.kind, (await apply(object)).status]);
  const account = "/api/v1/namespaces/bowline-system/serviceaccounts/bowline-agent/token";
  const issued = await call("POST", account, {
    body: { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} },
  });
  const { status }: { readonly status: { readonly token: string } } = JSON.parse(await issued.text());
  agentToken = status.token;
});

afterAll(() => sim.stop());

interface Call {
  readonly body?: object;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function call(
  method: string,
  path: string,
  { body, token = sim.adminToken, headers }: Call = {},
): Promise<Response> {
  return fetch(sim.url + path, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

function apply(object: KubernetesObject): Promise<Response> {
  const { apiVersion, kind, metadata } = object;
  const root = apiVersion === "v1" ? "/api/v1" : `/apis/${apiVersion}`;
  const namespace = metadata.namespace === undefined ? "" : `/namespaces/${metadata.namespace}`;
  const query = "fieldManager=kubectl&force=true&fieldValidation=Strict";
  return call("PATCH", `${root}${namespace}/${plurals[kind]}/${metadata.name}?${query}`, {
    body: object,
    headers: { "content-type": "application/apply-patch+yaml" },
  });
}

async function asAgent(method: string, path: string, options: Call = {}): Promise<number> {
  return (await call(method, path, { ...options, token: agentToken })).status;
}

test("every object is accepted, with no field that Kubernetes does not know", () => {
  expect(firstApplied).toEqual(objects.map(({ kind }) => [kind, 201]));
});

describe("the agent with its roles", () => {
  test("keeps its key and its Lease, and applying the manifest again takes neither away", async () => {
    const patch = { "content-type": "application/merge-patch+json" };
    const body = { data: { key: "c2VjcmV0" } };
    expect(await asAgent("PATCH", keySecret, { body, headers: patch })).toBe(200);
    const lease = "/apis/coordination.k8s.io/v1/namespaces/bowline-system/leases/bowline-agent";
    const found: object = JSON.parse(await (await call("GET", lease, { token: agentToken })).text());
    const held = { ...found, spec: { holderIdentity: "a" } };
    expect(await asAgent("PUT", lease, { body: held })).toBe(200);
    for (const object of objects) expect((await apply(object)).status).toBe(200);
    expect(await (await call("GET", keySecret)).json()).toMatchObject(body);
    expect(await (await call("GET", lease)).json()).toMatchObject({ spec: { holderIdentity: "a" } });
  });

  test("learns which cluster it is in", async () => {
    expect(await asAgent("GET", "/api/v1/namespaces/kube-system")).toBe(200);
  });

  test.each([
    ["GET", "/api/v1/namespaces"],
    ["GET", "/api/v1/namespaces/default"],
    ["GET", "/api/v1/namespaces/bowline-system/secrets"],
    ["GET", "/api/v1/namespaces/bowline-system/secrets/bowline-agent-join"],
    ["GET", "/api/v1/pods"],
    ["DELETE", keySecret],
  ])("may not %s %s", async (method, path) => {
    expect(await asAgent(method, path)).toBe(403);
  });

  test("acts as others, who may do what their own roles allow", async () => {
    const viewer = {
      "impersonate-user": "viewer",
      "impersonate-extra-bowline.dev%2frequest-id": "r1",
      "impersonate-extra-bowline.dev%2fuser": "viewer",
      "impersonate-extra-bowline.dev%2fgrant": "view-all",
    };
    const admin = { ...viewer, "impersonate-group": "system:masters" };
    expect(await asAgent("GET", "/api/v1/pods", { headers: viewer })).toBe(403);
    expect(await asAgent("GET", "/api/v1/pods", { headers: admin })).toBe(200);
    const extra = { ...admin, "impersonate-extra-scopes": "all" };
    expect(await asAgent("GET", "/api/v1/pods", { headers: extra })).toBe(403);
  });
});
