import { request } from "node:https";

import { ManualClock } from "@bowline/core/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { ApiClient } from "../api/testing/api-client.ts";
import { startKubesim, type Kubesim } from "../kubesim.ts";

let sim: Kubesim;
let clock: ManualClock;
let admin: ApiClient;

beforeEach(async () => {
  clock = new ManualClock();
  sim = await startKubesim({
    tls: false,
    clock,
    users: { "viewer-token": { name: "viewer", groups: ["developers"] } },
  });
  admin = new ApiClient(sim);
});
afterEach(() => sim.stop());

const rbac = "rbac.authorization.k8s.io";
const pods = "/api/v1/namespaces/default/pods";

function grant(name: string, subjects: readonly object[], rules: readonly object[]): void {
  sim.api.create(`roles.${rbac}`, {
    apiVersion: `${rbac}/v1`,
    kind: "Role",
    metadata: { name, namespace: "default" },
    rules,
  });
  sim.api.create(`rolebindings.${rbac}`, {
    apiVersion: `${rbac}/v1`,
    kind: "RoleBinding",
    metadata: { name, namespace: "default" },
    subjects,
    roleRef: { apiGroup: rbac, kind: "Role", name },
  });
}

const readPods = { apiGroups: [""], resources: ["pods"], verbs: ["get", "list", "watch"] };

describe("who", () => {
  it("refuses a wrong token with 401", async () => {
    const answer = await new ApiClient(sim, { token: "wrong" }).get("/api");
    expect(answer.body).toMatchObject({ code: 401, reason: "Unauthorized", message: "Unauthorized" });
  });

  it("lets anonymous requests see the health and nothing else", async () => {
    const nobody = new ApiClient(sim, { token: "" });
    expect((await nobody.get("/healthz")).body).toBe("ok");
    const denied = await nobody.get("/api/v1/nodes");
    expect(denied.body).toMatchObject({
      code: 403,
      message:
        'nodes is forbidden: User "system:anonymous" cannot list resource "nodes" in API group "" at the cluster scope',
    });
  });

  it("can refuse anonymous requests altogether", async () => {
    const strict = await startKubesim({ tls: false, anonymous: false, controllers: false });
    try {
      expect((await new ApiClient(strict, { token: "" }).get("/healthz")).status).toBe(401);
    } finally {
      await strict.stop();
    }
  });
});

describe("may they", () => {
  it("says what is missing", async () => {
    const viewer = new ApiClient(sim, { token: "viewer-token" });
    expect((await viewer.get(pods)).body).toMatchObject({
      code: 403,
      reason: "Forbidden",
      message:
        'pods is forbidden: User "viewer" cannot list resource "pods" in API group "" in the namespace "default"',
      details: { kind: "pods" },
    });
    expect((await viewer.delete("/apis/apps/v1/namespaces/default/deployments/web")).at("message")).toBe(
      'deployments.apps "web" is forbidden: User "viewer" cannot delete resource "deployments" in API group "apps" in the namespace "default"',
    );
    expect((await viewer.get("/metrics")).at("message")).toBe(
      'forbidden: User "viewer" cannot get path "/metrics"',
    );
    expect((await viewer.get("/apis")).status).toBe(200);
  });

  it("follows roles and bindings as they are now", async () => {
    const viewer = new ApiClient(sim, { token: "viewer-token" });
    grant("readers", [{ kind: "Group", name: "developers" }], [readPods]);
    expect((await viewer.get(pods)).status).toBe(200);
    expect((await viewer.get("/api/v1/pods")).status).toBe(403);
    sim.api.delete(`rolebindings.${rbac}`, "default", "readers");
    expect((await viewer.get(pods)).status).toBe(403);
  });

  it("keeps to named resources and to subresources", async () => {
    const viewer = new ApiClient(sim, { token: "viewer-token" });
    grant(
      "one",
      [{ kind: "User", name: "viewer" }],
      [
        { apiGroups: [""], resources: ["configmaps"], resourceNames: ["mine"], verbs: ["get"] },
        { apiGroups: ["apps"], resources: ["deployments/scale"], verbs: ["*"] },
      ],
    );
    const path = "/api/v1/namespaces/default/configmaps";
    expect((await viewer.get(`${path}/mine`)).status).toBe(404);
    expect((await viewer.get(`${path}/other`)).status).toBe(403);
    expect((await viewer.get(path)).status).toBe(403);
    const deployment = "/apis/apps/v1/namespaces/default/deployments/web";
    expect([(await viewer.get(`${deployment}/scale`)).status, (await viewer.get(deployment)).status]).toEqual(
      [404, 403],
    );
  });

  it("answers reviews", async () => {
    grant("readers", [{ kind: "User", name: "viewer" }], [readPods]);
    const review = (verb: string): object => ({
      apiVersion: "authorization.k8s.io/v1",
      kind: "SubjectAccessReview",
      spec: { user: "viewer", resourceAttributes: { namespace: "default", verb, resource: "pods" } },
    });
    const path = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
    const allowed = await admin.post(path, review("list"));
    expect(allowed.at("status")).toEqual({
      allowed: true,
      reason: 'RBAC: allowed by RoleBinding "readers/default" of Role "readers" to User "viewer"',
    });
    expect((await admin.post(path, review("delete"))).at("status")).toEqual({ allowed: false });
    const viewer = new ApiClient(sim, { token: "viewer-token" });
    const self = await viewer.post("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SelfSubjectAccessReview",
      spec: { resourceAttributes: { namespace: "default", verb: "get", resource: "pods" } },
    });
    expect(self.at("status.allowed")).toBe(true);
    const rules = await viewer.post("/apis/authorization.k8s.io/v1/selfsubjectrulesreviews", {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SelfSubjectRulesReview",
      spec: { namespace: "default" },
    });
    expect(rules.at("status.resourceRules")).toContainEqual(readPods);
  });
});

describe("impersonation", () => {
  it("acts as somebody else where that is allowed", async () => {
    grant("readers", [{ kind: "User", name: "auditor" }], [readPods]);
    const as = (user: string): { headers: Record<string, string> } => ({
      headers: { "impersonate-user": user },
    });
    expect((await admin.get(pods, as("auditor"))).status).toBe(200);
    expect((await admin.get("/api/v1/nodes", as("auditor"))).at("message")).toContain(
      'User "auditor" cannot list',
    );
    const viewer = new ApiClient(sim, { token: "viewer-token" });
    expect((await viewer.get(pods, as("auditor"))).at("message")).toBe(
      'pods is forbidden: User "viewer" cannot impersonate-on:user-info:list resource "pods" in API group "" in the namespace "default"',
    );
    const grouped = { "impersonate-user": "system:serviceaccount:default:robot", "impersonate-group": "ops" };
    expect((await viewer.get(pods, { headers: grouped })).at("message")).toBe(
      'serviceaccounts "robot" is forbidden: User "viewer" cannot impersonate resource "serviceaccounts" in API group "" in the namespace "default"',
    );
  });

  it("takes groups and service accounts", async () => {
    grant("readers", [{ kind: "Group", name: "ops" }], [readPods]);
    const grouped = await admin.get(pods, {
      headers: { "impersonate-user": "x", "impersonate-group": "ops" },
    });
    expect(grouped.status).toBe(200);
    const account = await admin.get(pods, {
      headers: { "impersonate-user": "system:serviceaccount:default:robot" },
    });
    expect(account.at("message")).toContain('User "system:serviceaccount:default:robot" cannot list');
  });
});

describe("service accounts", () => {
  beforeEach(() => {
    sim.api.create("serviceaccounts", {
      apiVersion: "v1",
      kind: "ServiceAccount",
      metadata: { name: "robot", namespace: "default" },
    });
    grant("robots", [{ kind: "ServiceAccount", name: "robot", namespace: "default" }], [readPods]);
  });

  const tokenPath = "/api/v1/namespaces/default/serviceaccounts/robot/token";
  const tokenRequest = (spec: object): object => ({
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenRequest",
    spec,
  });

  it("get tokens that expire", async () => {
    const issued = await admin.post(tokenPath, tokenRequest({ expirationSeconds: 600 }));
    expect([issued.status, issued.at("status.expirationTimestamp")]).toEqual([201, "2026-01-01T00:10:00Z"]);
    const robot = new ApiClient(sim, { token: String(issued.at("status.token")) });
    expect((await robot.get(pods)).status).toBe(200);
    await clock.advance(600_000);
    expect((await robot.get(pods)).status).toBe(401);
    expect((await admin.post(tokenPath, tokenRequest({ expirationSeconds: 10 }))).status).toBe(422);
  });

  it("lose their tokens when they are deleted", async () => {
    const issued = await admin.post(tokenPath, tokenRequest({}));
    const robot = new ApiClient(sim, { token: String(issued.at("status.token")) });
    sim.api.delete("serviceaccounts", "default", "robot");
    expect((await robot.get(pods)).status).toBe(401);
  });

  it("get tokens through Secrets", async () => {
    sim.api.create("secrets", {
      apiVersion: "v1",
      kind: "Secret",
      metadata: {
        name: "robot-token",
        namespace: "default",
        annotations: { "kubernetes.io/service-account.name": "robot" },
      },
      type: "kubernetes.io/service-account-token",
    });
    const secret = "/api/v1/namespaces/default/secrets/robot-token";
    await expect.poll(async () => (await admin.get(secret)).at("data.token")).toBeDefined();
    const token = Buffer.from(String((await admin.get(secret)).at("data.token")), "base64").toString();
    const robot = new ApiClient(sim, { token });
    expect((await robot.get(pods)).status).toBe(200);
    sim.api.delete("secrets", "default", "robot-token");
    expect((await robot.get(pods)).status).toBe(401);
  });

  it("are recognised by a token review, for the audience it was made for", async () => {
    const issued = await admin.post(tokenPath, tokenRequest({ audiences: ["bowline"] }));
    const review = async (audiences: readonly string[]): Promise<unknown> => {
      const answer = await admin.post("/apis/authentication.k8s.io/v1/tokenreviews", {
        apiVersion: "authentication.k8s.io/v1",
        kind: "TokenReview",
        spec: { token: issued.at("status.token"), audiences },
      });
      return answer.at("status");
    };
    expect(await review(["bowline"])).toMatchObject({
      authenticated: true,
      audiences: ["bowline"],
      user: { username: "system:serviceaccount:default:robot" },
    });
    expect(await review(["other"])).not.toHaveProperty("authenticated");
  });
});

describe("TLS", () => {
  it("is checked by its own authority, and takes client certificates", async () => {
    const secure = await startKubesim({ controllers: false });
    try {
      const { cert, key } = secure.clientCertificate("operator", ["system:masters"]);
      const status = (credentials: object): Promise<number | undefined> =>
        new Promise((resolve, reject) => {
          const call = request(
            `${secure.url}/api/v1/nodes`,
            { ca: secure.caCert, ...credentials },
            (response) => {
              response.resume();
              resolve(response.statusCode);
            },
          );
          call.on("error", reject);
          call.end();
        });
      expect(await status({ cert, key })).toBe(200);
      expect(await status({})).toBe(403);
      await expect(status({ ca: [] })).rejects.toThrow(/certificate/);
      expect(secure.kubeconfig()).toContain(Buffer.from(secure.caCert).toString("base64"));
    } finally {
      await secure.stop();
    }
  });
});
