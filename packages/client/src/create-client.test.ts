import { Cluster, requireKind, type Token } from "@bowline/api";
import { afterEach, describe, expect, expectTypeOf, test } from "vitest";

import type { BodyOf, Client } from "./client.ts";
import { createClient } from "./create-client.ts";
import { sampleCluster } from "./testing/sample-cluster.ts";
import { sendJson, TestServer, type TestHandler } from "./testing/test-server.ts";

const cleanups: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

async function start(handler: TestHandler): Promise<{ server: TestServer; client: Client }> {
  const server = await TestServer.start(handler);
  const client = createClient({ server: server.url, token: "bwl_test", userAgent: "test/1" });
  cleanups.push(
    () => server[Symbol.asyncDispose](),
    () => client.close(),
  );
  return { server, client };
}

const prod = sampleCluster("prod");

describe("objects", () => {
  test("a list asks with its selectors, as who has the token", async () => {
    const list = { metadata: { resourceVersion: "9", total: 1 }, items: [prod] };
    const { server, client } = await start((_request, response) => sendJson(response, 200, list));
    const page = await client.list(Cluster, { labelSelector: "env in (a,b)", limit: 5 });
    expect(page).toEqual(list);
    expect(server.requests[0]).toMatchObject({
      method: "GET",
      url: "/api/v1/clusters?labelSelector=env+in+%28a%2Cb%29&limit=5",
      headers: { authorization: "Bearer bwl_test", "user-agent": "test/1", accept: "application/json" },
    });
  });

  test("all pages follow the cursor to the last one", async () => {
    const { server, client } = await start(({ url }, response) => {
      const cursor = url.includes("cursor=two") ? undefined : "two";
      sendJson(response, 200, { metadata: { resourceVersion: "9", total: 2, cursor }, items: [prod] });
    });
    const names: string[] = [];
    for await (const page of client.listAll(Cluster, { fieldSelector: "spec.provider=existing" })) {
      names.push(...page.items.map(({ metadata }) => metadata.name));
    }
    expect(names).toEqual(["prod", "prod"]);
    expect(server.requests.map(({ url }) => url)).toEqual([
      "/api/v1/clusters?fieldSelector=spec.provider%3Dexisting",
      "/api/v1/clusters?fieldSelector=spec.provider%3Dexisting&cursor=two",
    ]);
  });

  test("a get escapes the name, and refuses one that leads elsewhere", async () => {
    const { server, client } = await start((_request, response) => sendJson(response, 200, prod));
    expect(await client.get(Cluster, "a/b?c")).toEqual(prod);
    expect(server.requests[0]?.url).toBe("/api/v1/clusters/a%2Fb%3Fc");
    for (const name of ["", ".", ".."]) {
      await expect(client.get(Cluster, name)).rejects.toMatchObject({ code: "InvalidArgument" });
    }
  });

  test("a create sends the body, the key and the wish to write nothing", async () => {
    const { server, client } = await start((_request, response) => sendJson(response, 201, prod));
    const body = { metadata: { name: "prod" }, spec: {} };
    await client.create(Cluster, body, { dryRun: true, idempotencyKey: "k1" });
    expect(server.requests[0]).toMatchObject({
      method: "POST",
      url: "/api/v1/clusters?dryRun=true",
      headers: { "idempotency-key": "k1", "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  });

  test.each([
    [201, {}, "created"],
    [200, { "bowline-outcome": "updated" }, "updated"],
    [200, { "bowline-outcome": "unchanged" }, "unchanged"],
  ])("an apply that is answered with %i %j has %s it", async (status, headers, outcome) => {
    const { server, client } = await start((_request, response) => sendJson(response, status, prod, headers));
    const applied = await client.apply(
      Cluster,
      "prod",
      { metadata: { name: "prod" }, spec: {} },
      { ifMatch: "7" },
    );
    expect(applied).toEqual({ outcome, object: prod });
    expect(server.requests[0]).toMatchObject({ method: "PUT", headers: { "if-match": '"7"' } });
  });

  test("a patch is a merge patch", async () => {
    const { server, client } = await start((_request, response) => sendJson(response, 200, prod));
    await client.patch(Cluster, "prod", { metadata: { labels: { a: null } } });
    expect(server.requests[0]).toMatchObject({
      method: "PATCH",
      headers: { "content-type": "application/merge-patch+json" },
      body: '{"metadata":{"labels":{"a":null}}}',
    });
  });

  test.each([
    [200, "deleted"],
    [202, "deleting"],
  ])("a delete that is answered with %i means %s", async (status, outcome) => {
    const { server, client } = await start((_request, response) => sendJson(response, status, prod));
    expect(await client.delete(Cluster, "prod", { cascade: true })).toEqual({ outcome, object: prod });
    expect(server.requests[0]).toMatchObject({ method: "DELETE", url: "/api/v1/clusters/prod?cascade=true" });
  });

  test("a dry run with cascade tells what would be done", async () => {
    const steps = [
      { action: "update", kind: "WorkloadInstance", name: "web" },
      { action: "delete", kind: "Cluster", name: "prod" },
    ];
    const { client } = await start((_request, response) =>
      sendJson(response, 200, { kind: "DeletionPlan", steps }),
    );
    expect(await client.delete(Cluster, "prod", { cascade: true, dryRun: true })).toEqual({
      outcome: "planned",
      steps,
    });
  });

  test("the status is an address of its own", async () => {
    const { server, client } = await start((_request, response) => sendJson(response, 200, prod));
    await client.getStatus(Cluster, "prod");
    await client.putStatus(Cluster, "prod", { conditions: [], observedGeneration: 1 });
    expect(server.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
      "GET /api/v1/clusters/prod/status",
      "PUT /api/v1/clusters/prod/status",
    ]);
    expect(server.requests[1]?.body).toBe('{"status":{"conditions":[],"observedGeneration":1}}');
  });
});

test("records are listed by what they are about", async () => {
  const empty = { metadata: { total: 0 }, items: [] };
  const { server, client } = await start((_request, response) => sendJson(response, 200, empty));
  expect(await client.listEvents({ kind: "Cluster", type: "Warning" })).toEqual(empty);
  expect(await client.listAudit({ user: "editor", limit: 10 })).toEqual(empty);
  expect(server.requests.map(({ url }) => url)).toEqual([
    "/api/v1/events?kind=Cluster&type=Warning",
    "/api/v1/audit?user=editor&limit=10",
  ]);
});

test("who is signed in, and the version of the server", async () => {
  const me = { user: "editor", role: "editor", groups: [], method: "token" };
  const { server, client } = await start(({ url }, response) =>
    sendJson(response, 200, url === "/version" ? { version: "2.0.0" } : me),
  );
  expect(await client.login()).toEqual(me);
  expect(await client.whoami()).toEqual(me);
  expect(await client.version()).toEqual({ version: "2.0.0" });
  expect(server.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
    "POST /api/v1/login",
    "GET /api/v1/whoami",
    "GET /version",
  ]);
});

test("a server below a path keeps its path", async () => {
  const server = await TestServer.start((_request, response) =>
    sendJson(response, 200, { version: "2.0.0" }),
  );
  const client = createClient({ server: `${server.url}/bowline/` });
  cleanups.push(
    () => server[Symbol.asyncDispose](),
    () => client.close(),
  );
  await client.version();
  expect(server.requests[0]?.url).toBe("/bowline/version");
  expect(server.requests[0]?.headers.authorization).toBeUndefined();
});

test.each(["bowline.example.com", "ftp://x", "https://user:pw@x", "https://x/?a=b", ""])(
  "%j cannot be a server",
  (server) => {
    expect(() => createClient({ server })).toThrow(expect.objectContaining({ code: "InvalidArgument" }));
  },
);

test("bodies are typed for a kind that is known, and free for one that is found later", () => {
  expectTypeOf<BodyOf<typeof Token>["spec"]>().toHaveProperty("user");
  const found = requireKind("cluster");
  expectTypeOf<BodyOf<typeof found>>().toEqualTypeOf<object>();
});

describe("agents", () => {
  const token = { token: "bwj_x", expiresAt: "2026-01-01T01:00:00Z", server: "https://bowline.example.com" };

  test("get a join token, for as long as is asked", async () => {
    const { server, client } = await start((_request, response) => sendJson(response, 201, token));
    expect(await client.createJoinToken("prod")).toEqual(token);
    await client.createJoinToken("prod", { expiresInSeconds: 60 });
    expect(server.requests).toMatchObject([
      { method: "POST", url: "/api/v1/clusters/prod/join-tokens", body: "" },
      { url: "/api/v1/clusters/prod/join-tokens", body: '{"expiresInSeconds":60}' },
    ]);
  });

  test("are revoked", async () => {
    const revoked = { keys: 1, joinTokens: 2 };
    const { server, client } = await start((_request, response) => sendJson(response, 200, revoked));
    expect(await client.revokeAgents("prod")).toEqual(revoked);
    expect(server.requests[0]).toMatchObject({
      method: "POST",
      url: "/api/v1/clusters/prod/revoke-agents",
    });
  });

  test("an answer that is something else is not taken for one", async () => {
    const { client } = await start((_request, response) => sendJson(response, 200, {}));
    await expect(client.createJoinToken("prod")).rejects.toThrow("not with a join token");
    await expect(client.revokeAgents("prod")).rejects.toThrow("not with what was revoked");
  });
});

test("the tree of a workload is read, and nothing else taken for one", async () => {
  const tree = { instance: "web", clusterCount: 0, clusters: [] };
  const { server, client } = await start(({ url }, response) =>
    sendJson(response, 200, url.includes("web") ? tree : { clusters: [{}] }),
  );
  expect(await client.tree("web", { cluster: "prod" })).toEqual(tree);
  expect(server.requests[0]?.url).toBe("/api/v1/workloadinstances/web/tree?cluster=prod");
  await expect(client.tree("other")).rejects.toMatchObject({ code: "ResponseInvalid" });
});

test("what would become of a workload is asked with what would be written, and read", async () => {
  const object = { kind: "ConfigMap", name: "a", change: "created" };
  const diff = { instance: "web", cluster: "prod", unchangedCount: 0, objectCount: 1, objects: [object] };
  const { server, client } = await start(({ url }, response) =>
    sendJson(response, 200, url.includes("web") ? diff : { ...diff, objects: [{}] }),
  );
  const request = { cluster: "prod", instance: { metadata: { name: "web" }, spec: {} } };
  expect(await client.diff("web", request)).toEqual(diff);
  expect(server.requests[0]).toMatchObject({ method: "POST", url: "/api/v1/workloadinstances/web/diff" });
  expect(JSON.parse(server.requests[0]?.body ?? "")).toEqual(request);
  await expect(client.diff("other", request)).rejects.toMatchObject({ code: "ResponseInvalid" });
});

test("what would be made for a cluster is asked with what would be created", async () => {
  const plan = { provider: "kind", steps: ["Make a node"], hourlyCost: "0.10 USD", expectedSeconds: 60 };
  const { server, client } = await start((_request, response) =>
    sendJson(response, 200, server.requests.length === 1 ? plan : { ...plan, steps: [{}] }),
  );
  const body = { metadata: { name: "web" }, spec: { provider: "kind" as const } };
  expect(await client.planCluster(body)).toEqual(plan);
  expect(server.requests[0]).toMatchObject({ method: "POST", url: "/api/v1/plan-cluster" });
  expect(JSON.parse(server.requests[0]?.body ?? "")).toEqual(body);
  await expect(client.planCluster(body)).rejects.toMatchObject({ code: "ResponseInvalid" });
});

test("revisions of a definition are asked for page by page, and one with its manifests", async () => {
  const revision = { id: "sha256:a", resolvedAt: "2026-01-01T00:00:00Z", objects: 1 };
  const { server, client } = await start(({ url }, response) => {
    if (url.includes("/other/")) return sendJson(response, 200, { id: "sha256:a" });
    const page = { metadata: { total: 1 }, items: [revision] };
    sendJson(response, 200, url.includes("sha256") ? { ...revision, manifests: [] } : page);
  });
  expect((await client.listRevisions("web", { instance: "shop", limit: 5 })).items).toEqual([revision]);
  expect(await client.getRevision("web", "sha256:a")).toEqual({ ...revision, manifests: [] });
  expect(server.requests.map(({ url }) => url)).toEqual([
    "/api/v1/workloaddefinitions/web/revisions?instance=shop&limit=5",
    "/api/v1/workloaddefinitions/web/revisions/sha256%3Aa",
  ]);
  await expect(client.getRevision("other", "sha256:a")).rejects.toMatchObject({ code: "ResponseInvalid" });
});

describe("a cluster", () => {
  test("is reached below its name, and refuses in its own words", async () => {
    const { server, client } = await start(({ url }, response) => {
      if (url.endsWith("/version")) return sendJson(response, 200, { major: "1" });
      const status = { kind: "Status", status: "Failure", reason: "NotFound", message: 'pods "a" not found' };
      sendJson(response, 404, status);
    });
    const api = client.inCluster("prod");
    expect(await api.get("/version")).toEqual({ major: "1" });
    await expect(api.get("/api/v1/namespaces/x/pods/a")).rejects.toMatchObject({
      code: "NotFound",
      message: 'pods "a" not found',
      details: { httpStatus: 404 },
    });
    await expect(api.stream("/api/v1/namespaces/x/pods/a/log?follow=true")).rejects.toMatchObject({
      code: "NotFound",
    });
    expect(server.requests.map(({ url }) => url)).toEqual([
      "/clusters/prod/version",
      "/clusters/prod/api/v1/namespaces/x/pods/a",
      "/clusters/prod/api/v1/namespaces/x/pods/a/log?follow=true",
    ]);
    expect(() => client.inCluster("..")).toThrow("cannot be the name of a Cluster");
  });

  test("may refuse for reasons that only Kubernetes knows", async () => {
    const status = { kind: "Status", reason: "AlreadyExistsElsewhere", message: "no" };
    const { client } = await start((_request, response) => sendJson(response, 409, status));
    await expect(client.inCluster("prod").get("/x")).rejects.toMatchObject({
      code: "Conflict",
      message: "no",
    });
  });

  test("sends what it has while there is more to come", async () => {
    const sent = Promise.withResolvers<void>();
    const { client } = await start((_request, response) => {
      response.writeHead(200).write("one\n");
      void sent.promise.then(() => response.end("two\n"));
    });
    const body = await client.inCluster("prod").stream("/log");
    const chunks: string[] = [];
    for await (const chunk of body) {
      chunks.push(String(chunk));
      sent.resolve();
    }
    expect(chunks.join("")).toBe("one\ntwo\n");
  });
});
