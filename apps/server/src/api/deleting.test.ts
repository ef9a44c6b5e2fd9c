import { AccessGrant, Cluster, placementName, WorkloadInstance, WorkloadPlacement } from "@bowline/api";
import { describe, expect, test } from "vitest";

import { cluster, definition, instance, placement } from "@bowline/store/testing";
import { addressFor, errorOf, openTestApi, type TestApi } from "./testing/api-harness.ts";
import { bodyOf, samples } from "./testing/sample-bodies.ts";

/** A cluster c1 that two instances and a grant name. */
async function withReferrers(): Promise<TestApi> {
  const api = await openTestApi();
  await api.store.objects.create(Cluster, cluster("c1"));
  await api.store.objects.create(WorkloadInstance, instance("both", "web", ["c1", "c2"]));
  await api.store.objects.create(WorkloadInstance, instance("one", "web", ["c1"]));
  return api;
}

async function grantOn(api: TestApi, name: string): Promise<void> {
  const spec = { subjects: [{ user: "editor" }], clusters: { names: [name] }, kubernetes: {} };
  const { status } = await api.call("POST", "/api/v1/accessgrants", { body: bodyOf("grant", spec) });
  expect(status).toBe(201);
}

describe.each(samples)("Deleting $kind.kind", ({ kind, spec }) => {
  test("answers with the object as it was last", async () => {
    const { call, store } = await openTestApi();
    await call("PUT", addressFor(kind, "a"), { body: bodyOf("a", spec) });
    const deleted = await call("DELETE", addressFor(kind, "a"));
    expect(deleted).toMatchObject({ status: 200, body: { metadata: { name: "a" } } });
    expect(deleted.headers["etag"]).toBeUndefined();
    expect((await call("GET", addressFor(kind, "a"))).status).toBe(404);
    expect(errorOf(await call("DELETE", addressFor(kind, "a")))).toMatchObject({ code: "NotFound" });
    const [record] = (await store.audit.list({ verb: "delete", outcome: "allowed" })).items;
    expect(record).toMatchObject({
      kind: kind.kind,
      name: "a",
      httpStatus: 200,
      actor: { user: "operator" },
    });
  });

  test("keeps to If-Match", async () => {
    const { call } = await openTestApi();
    const { headers } = await call("PUT", addressFor(kind, "a"), { body: bodyOf("a", spec) });
    const remove = (etag: string) => call("DELETE", addressFor(kind, "a"), { headers: { "if-match": etag } });
    expect(errorOf(await remove('"0"'))).toMatchObject({ code: "PreconditionFailed" });
    expect((await remove(String(headers["etag"]))).status).toBe(200);
  });

  test("with finalizers is accepted, and done when they are", async () => {
    const { call, store } = await openTestApi();
    await call("PUT", addressFor(kind, "a"), { body: bodyOf("a", spec) });
    await store.objects.writeFinalizers(kind, "a", () => ["bowline.dev/test"]);
    const marked = await call("DELETE", addressFor(kind, "a"));
    expect(marked).toMatchObject({
      status: 202,
      headers: { etag: expect.any(String) },
      body: { metadata: { deletedAt: expect.any(String), finalizers: ["bowline.dev/test"] } },
    });
    expect((await call("DELETE", addressFor(kind, "a"))).status).toBe(202);
    expect((await call("GET", addressFor(kind, "a"))).body).toEqual(marked.body);
    await store.objects.writeFinalizers(kind, "a", () => []);
    expect((await call("GET", addressFor(kind, "a"))).status).toBe(404);
  });
});

describe("Deleting", () => {
  test("says what blocks it", async () => {
    const { call } = await withReferrers();
    const answer = await call("DELETE", "/api/v1/clusters/c1");
    expect(answer.status).toBe(409);
    expect(errorOf(answer)).toMatchObject({
      code: "StillReferenced",
      blockedBy: [
        { kind: "WorkloadInstance", name: "both", field: "spec.placement.clusters[]" },
        { kind: "WorkloadInstance", name: "one", field: "spec.placement.clusters[]" },
      ],
    });
  });

  test.each(["?cascade", "?cascade=1", "?cascade=true"])("%s deals with what blocks it", async (query) => {
    const { call, store } = await withReferrers();
    const answer = await call("DELETE", `/api/v1/clusters/c1${query}`, { as: "editor" });
    expect(answer.status).toBe(200);
    expect(await store.objects.get(WorkloadInstance, "one")).toBeUndefined();
    expect(await store.objects.get(WorkloadInstance, "both")).toMatchObject({
      spec: { placement: { clusters: ["c2"] } },
    });
    const { items } = await store.audit.list();
    expect(items.map(({ verb, kind, name, actor }) => `${actor.user} ${verb} ${kind}/${name}`)).toEqual([
      "editor delete Cluster/c1",
      "editor delete WorkloadInstance/one",
      "editor update WorkloadInstance/both",
    ]);
  });

  test("with cascade is refused to who may not change everything that it would", async () => {
    const api = await withReferrers();
    await grantOn(api, "c1");
    const answer = await api.call("DELETE", "/api/v1/clusters/c1?cascade", { as: "editor" });
    expect(answer.status).toBe(403);
    expect(errorOf(answer).message).toContain("accessgrants");
    expect(await api.store.objects.get(Cluster, "c1")).toBeDefined();
    expect(await api.store.objects.get(WorkloadInstance, "one")).toBeDefined();
    expect((await api.call("DELETE", "/api/v1/clusters/c1?cascade")).status).toBe(200);
    expect(await api.store.objects.get(AccessGrant, "grant")).toBeUndefined();
  });

  test("with cascade and dryRun tells what would be done, and does nothing", async () => {
    const api = await withReferrers();
    const before = await api.store.changes.head();
    const answer = await api.call("DELETE", "/api/v1/clusters/c1?cascade&dryRun", { as: "editor" });
    expect(answer).toMatchObject({ status: 200 });
    expect(answer.body).toEqual({
      apiVersion: "bowline.dev/v1",
      kind: "DeletionPlan",
      steps: [
        { action: "update", kind: "WorkloadInstance", name: "both" },
        { action: "delete", kind: "WorkloadInstance", name: "one" },
        { action: "delete", kind: "Cluster", name: "c1" },
      ],
    });
    expect(await api.store.changes.head()).toBe(before);
    await grantOn(api, "c1");
    const denied = await api.call("DELETE", "/api/v1/clusters/c1?cascade&dryRun", { as: "editor" });
    expect(denied.status).toBe(403);
  });

  test("with cascade is still refused where a kind says so", async () => {
    const { call, store } = await openTestApi();
    const git = { url: "https://git.example.com/a.git", credential: "c" };
    const spec = { ...definition("web").spec, source: { git } };
    await call("POST", "/api/v1/credentials", {
      body: bodyOf("c", { type: "token", data: { token: "x" } }),
    });
    const created = await call("POST", "/api/v1/workloaddefinitions", { body: bodyOf("web", spec) });
    expect(created.status).toBe(201);
    for (const query of ["?cascade", "?cascade&dryRun"]) {
      const answer = await call("DELETE", `/api/v1/credentials/c${query}`);
      expect(errorOf(answer)).toMatchObject({
        code: "StillReferenced",
        blockedBy: [{ kind: "WorkloadDefinition", name: "web" }],
      });
    }
    expect((await store.audit.list({ verb: "delete", outcome: "allowed" })).total).toBe(0);
  });

  test("takes what the object owns with it, which nobody but admins may delete by itself", async () => {
    const { call, store } = await openTestApi();
    const name = placementName("sample", "sample");
    await store.objects.create(WorkloadPlacement, placement("sample", "sample"));
    await store.objects.writeFinalizers(WorkloadPlacement, name, () => ["bowline.dev/remove-resources"]);
    expect((await call("DELETE", `/api/v1/workloadplacements/${name}`, { as: "editor" })).status).toBe(403);
    const plan = await call("DELETE", "/api/v1/workloadinstances/sample?cascade&dryRun", { as: "editor" });
    expect(plan.body["steps"]).toEqual([
      { action: "delete", kind: "WorkloadPlacement", name },
      { action: "delete", kind: "WorkloadInstance", name: "sample" },
    ]);
    const answer = await call("DELETE", "/api/v1/workloadinstances/sample", { as: "editor" });
    expect(answer).toMatchObject({ status: 202, body: { metadata: { deletedAt: expect.any(String) } } });
    const { items } = await store.audit.list({ verb: "delete", outcome: "allowed" });
    expect(items.map(({ kind, actor }) => `${actor.user} ${kind}`)).toEqual([
      "editor WorkloadInstance",
      "editor WorkloadPlacement",
    ]);
    await store.objects.writeFinalizers(WorkloadPlacement, name, () => []);
    expect((await call("GET", "/api/v1/workloadinstances/sample")).status).toBe(404);
  });

  test("takes no notice of a Content-Type without a body", async () => {
    const { call } = await withReferrers();
    await call("DELETE", "/api/v1/workloadinstances/one");
    const headers = { "content-type": "application/json" };
    const answer = await call("DELETE", "/api/v1/workloadinstances/both", { headers });
    expect(answer.status).toBe(200);
  });
});
