import { Cluster, WorkloadDefinition, WorkloadInstance, WorkloadPlacement } from "@bowline/api";
import { asRecord } from "@bowline/core";
import { LocalIssuer } from "@bowline/auth/testing";
import { cluster, placement } from "@bowline/store/testing";
import { describe, expect, test } from "vitest";

import { openTestApi, type TestApi } from "../testing/test-api.ts";

/** The real API with two editors and an admin; each calls with a token of their own. */
async function setup(): Promise<TestApi & Readonly<Record<"editor" | "deputy" | "operator", string>>> {
  const api = await openTestApi();
  await api.createUser("editor", { role: "editor", groups: ["shop"] });
  await api.createUser("deputy", { role: "editor" });
  await api.createUser("operator", { role: "admin" });
  const tokenOf = (user: string): Promise<string> => api.createToken(`${user}-token`, { user });
  return {
    ...api,
    editor: await tokenOf("editor"),
    deputy: await tokenOf("deputy"),
    operator: await tokenOf("operator"),
  };
}

const address = "/api/v1/workloadinstances/web";
const body = (spec: object = {}, metadata: object = {}): object => ({
  metadata: { name: "web", ...metadata },
  spec: { definition: "web", placement: { clusters: ["c1", "c2"] }, ...spec },
});

const editorAsAuthor = { user: "editor", role: "editor", method: "token", groups: [] };
const deputyAsAuthor = { ...editorAsAuthor, user: "deputy" };

async function authorIn({ store }: TestApi): Promise<unknown> {
  return (await store.objects.get(WorkloadInstance, "web"))?.status.author;
}

describe("The author of a spec", () => {
  test("is whoever created the object", async () => {
    const api = await setup();
    const answer = await api.request("POST", "/api/v1/workloadinstances", {
      secret: api.editor,
      body: body(),
    });
    expect(answer.statusCode).toBe(201);
    expect(answer.json()).toMatchObject({ status: { author: editorAsAuthor } });
    expect(await authorIn(api)).toEqual(editorAsAuthor);
    const definition = { spec: { source: { git: { url: "https://git.example.com/a.git" } } } };
    await api.request("PUT", "/api/v1/workloaddefinitions/web", { secret: api.deputy, body: definition });
    const found = await api.store.objects.get(WorkloadDefinition, "web");
    expect(found?.status.author).toEqual(deputyAsAuthor);
  });

  test.each([
    ["PUT", body({ namespace: "shop" })],
    ["PATCH", { spec: { namespace: "shop" } }],
  ] as const)("is whoever changed it last by %s", async (method, change) => {
    const api = await setup();
    await api.request("PUT", address, { secret: api.editor, body: body() });
    const answer = await api.request(method, address, { secret: api.deputy, body: change });
    expect(answer.json()).toMatchObject({
      metadata: { generation: 2 },
      status: { author: deputyAsAuthor },
    });
    expect(await authorIn(api)).toEqual(deputyAsAuthor);
  });

  test.each([
    ["nothing", "PUT", body()],
    ["nothing", "PATCH", { spec: { namespace: "default" } }],
    ["labels", "PUT", body({}, { labels: { team: "shop" } })],
    ["labels", "PATCH", { metadata: { labels: { team: "shop" } } }],
  ] as const)("stays when %s changed by %s", async (_, method, change) => {
    const api = await setup();
    await api.request("PUT", address, { secret: api.editor, body: body() });
    const answer = await api.request(method, address, { secret: api.deputy, body: change });
    expect(answer.json()).toMatchObject({ status: { author: editorAsAuthor } });
    expect(await authorIn(api)).toEqual(editorAsAuthor);
  });

  test("would be another after a dry run, and is not", async () => {
    const api = await setup();
    await api.request("PUT", address, { secret: api.editor, body: body() });
    const change = { spec: { namespace: "shop" } };
    const answer = await api.request("PATCH", `${address}?dryRun`, { secret: api.deputy, body: change });
    expect(answer.json()).toMatchObject({ status: { author: deputyAsAuthor } });
    expect(await authorIn(api)).toEqual(editorAsAuthor);
  });

  test("is in the answer to a create that is repeated, as it was the first time", async () => {
    const api = await setup();
    const create = (secret: string) =>
      api.request("POST", "/api/v1/workloadinstances", {
        secret,
        body: body(),
        headers: { "idempotency-key": "k1" },
      });
    const first = await create(api.editor);
    await api.request("PATCH", address, { secret: api.deputy, body: { spec: { prune: false } } });
    expect((await create(api.editor)).body).toBe(first.body);
    expect(await authorIn(api)).toEqual(deputyAsAuthor);
    // The key of one is not the key of another.
    expect((await create(api.deputy)).statusCode).toBe(409);
  });

  test("is not for others to write: neither admins nor controllers nor clients", async () => {
    const api = await setup();
    const forged = { user: "operator", role: "admin", method: "token", groups: ["everything"] };
    await api.request("PUT", address, {
      secret: api.editor,
      body: { ...body(), status: { author: forged } },
    });
    expect(await authorIn(api)).toEqual(editorAsAuthor);
    const written = await api.request("PUT", `${address}/status`, {
      secret: api.operator,
      body: { status: { author: forged, clusterCount: 3 } },
    });
    expect(written.json()).toMatchObject({ status: { author: editorAsAuthor, clusterCount: 3 } });
    await api.request("PUT", `${address}/status`, { secret: api.operator, body: { status: {} } });
    expect(await authorIn(api)).toEqual(editorAsAuthor);
    await api.store.objects.writeStatus(WorkloadInstance, "web", ({ status }) => {
      const { author: _, ...rest } = status;
      return rest;
    });
    expect(await authorIn(api)).toEqual(editorAsAuthor);
  });

  test("is not the one who deletes it, who is written down as well", async () => {
    const api = await setup();
    await api.store.objects.create(Cluster, cluster("c1"));
    await api.request("PUT", address, { secret: api.editor, body: body() });
    const finalizers = ["bowline.dev/remove-resources"];
    await api.store.objects.create(WorkloadPlacement, { ...placement("web", "c1"), finalizers });
    const dry = await api.request("DELETE", `${address}?dryRun`, { secret: api.deputy });
    expect(dry.json()).toMatchObject({ status: { deletedBy: deputyAsAuthor } });
    expect((await api.store.objects.get(WorkloadInstance, "web"))?.status.deletedBy).toBeUndefined();
    const deleted = await api.request("DELETE", address, { secret: api.deputy });
    expect(deleted.statusCode).toBe(202);
    expect(deleted.json()).toMatchObject({ status: { author: editorAsAuthor, deletedBy: deputyAsAuthor } });
    await api.request("DELETE", address, { secret: api.operator });
    const found = await api.store.objects.get(WorkloadInstance, "web");
    expect(found?.status.deletedBy).toMatchObject({ user: "operator", role: "admin" });
  });

  test("stays when a cluster is taken out of its list with the cluster", async () => {
    const api = await setup();
    await api.store.objects.create(Cluster, cluster("c1"));
    await api.request("PUT", address, { secret: api.editor, body: body({ actingUser: "editor" }) });
    const deleted = await api.request("DELETE", "/api/v1/clusters/c1?cascade", { secret: api.deputy });
    expect(deleted.statusCode).toBe(200);
    const found = await api.store.objects.get(WorkloadInstance, "web");
    expect(found).toMatchObject({
      metadata: { generation: 2 },
      spec: { placement: { clusters: ["c2"] } },
      status: { author: editorAsAuthor },
    });
  });

  test("has the groups of a JWT, which are nowhere else", async () => {
    const issuer = await LocalIssuer.start();
    const api = await openTestApi({ oidc: issuer.settings({ defaultRole: "editor" }) });
    const secret = await issuer.sign({ groups: ["shop", "payments"] });
    const answer = await api.request("PUT", address, { secret, body: body() });
    const { user, groups } = asRecord((await api.request("GET", "/api/v1/whoami", { secret })).json());
    expect(groups).toHaveLength(2);
    expect(answer.json()).toMatchObject({
      status: { author: { user, groups, method: "oidc", role: "editor" } },
    });
  });
});

describe("The user that an instance acts as", () => {
  test("may be oneself, or anybody for an admin", async () => {
    const api = await setup();
    const own = await api.request("PUT", address, {
      secret: api.editor,
      body: body({ actingUser: "editor" }),
    });
    expect(own.statusCode).toBe(201);
    const other = await api.request("PATCH", address, {
      secret: api.operator,
      body: { spec: { actingUser: "deputy" } },
    });
    expect(other.json()).toMatchObject({
      spec: { actingUser: "deputy" },
      status: { author: { user: "operator", role: "admin" } },
    });
  });

  test.each([
    ["POST", "/api/v1/workloadinstances", body({ actingUser: "deputy" })],
    ["PUT", address, body({ actingUser: "deputy" })],
  ] as const)("may not be somebody else for an editor, by %s", async (method, url, sent) => {
    const api = await setup();
    for (const query of ["", "?dryRun"]) {
      const answer = await api.request(method, `${url}${query}`, { secret: api.editor, body: sent });
      expect(answer.statusCode).toBe(403);
      expect(answer.json()).toMatchObject({
        error: { code: "Forbidden", message: expect.stringContaining("Leave out spec.actingUser") },
      });
    }
    expect(await api.store.objects.get(WorkloadInstance, "web")).toBeUndefined();
  });

  test("cannot be made use of by writing an instance that has their name already", async () => {
    const api = await setup();
    await api.request("PUT", address, { secret: api.editor, body: body({ actingUser: "editor" }) });
    const change = { spec: { namespace: "kube-system" } };
    const patched = await api.request("PATCH", address, { secret: api.deputy, body: change });
    expect(patched.statusCode).toBe(403);
    const kept = body({ actingUser: "editor", namespace: "kube-system" });
    expect((await api.request("PUT", address, { secret: api.deputy, body: kept })).statusCode).toBe(403);
    expect((await api.store.objects.get(WorkloadInstance, "web"))?.spec.namespace).toBe("default");
    // What does not touch the spec is free, and so is to let it act as oneself.
    const labels = { metadata: { labels: { team: "shop" } } };
    expect((await api.request("PATCH", address, { secret: api.deputy, body: labels })).statusCode).toBe(200);
    const taken = { spec: { actingUser: null, namespace: "kube-system" } };
    const answer = await api.request("PATCH", address, { secret: api.deputy, body: taken });
    expect(answer.json()).toMatchObject({ status: { author: deputyAsAuthor } });
    expect(asRecord(answer.json()["spec"])).not.toHaveProperty("actingUser");
  });
});

describe("Who has agreed to something", () => {
  const approved = { revision: `sha256:${"a".repeat(64)}` };

  test("is whoever wrote what is approved, and stays when others change the rest", async () => {
    const api = await setup();
    await api.request("PUT", address, { secret: api.editor, body: body() });
    const agreed = await api.request("PATCH", address, { secret: api.deputy, body: { spec: { approved } } });
    expect(agreed.json()).toMatchObject({ status: { author: deputyAsAuthor, approvedBy: deputyAsAuthor } });
    const forged = { spec: { namespace: "shop" }, status: { approvedBy: editorAsAuthor } };
    await api.request("PATCH", address, { secret: api.editor, body: forged });
    const after = await api.store.objects.get(WorkloadInstance, "web");
    expect(after?.status).toMatchObject({ author: editorAsAuthor, approvedBy: deputyAsAuthor });
    await api.store.objects.writeStatus(WorkloadInstance, "web", ({ status }) => {
      const { approvedBy: _, ...rest } = status;
      return rest;
    });
    expect((await api.store.objects.get(WorkloadInstance, "web"))?.status.approvedBy).toEqual(deputyAsAuthor);
  });

  test("is nobody any more when it is taken back", async () => {
    const api = await setup();
    await api.request("PUT", address, { secret: api.editor, body: body({ approved }) });
    expect((await api.store.objects.get(WorkloadInstance, "web"))?.status.approvedBy).toEqual(editorAsAuthor);
    await api.request("PUT", address, { secret: api.deputy, body: body() });
    expect((await api.store.objects.get(WorkloadInstance, "web"))?.status.approvedBy).toBeUndefined();
  });
});
