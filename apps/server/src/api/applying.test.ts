import { Cluster, Credential } from "@bowline/api";
import { describe, expect, test } from "vitest";

import { addressFor, errorOf, openTestApi } from "./testing/api-harness.ts";
import { bodyOf, samples } from "./testing/sample-bodies.ts";

describe.each(samples)("Applying $kind.kind", ({ kind, spec, otherSpec }) => {
  test("creates, changes nothing, and updates", async () => {
    const { call, store } = await openTestApi();
    const put = (given: object) => call("PUT", addressFor(kind, "a"), { body: given });
    const created = await put(bodyOf("a", spec));
    expect(created).toMatchObject({
      status: 201,
      headers: { location: addressFor(kind, "a"), etag: expect.any(String), "bowline-outcome": "created" },
    });
    const before = await store.changes.head();
    // The name is in the address already.
    const same = await put({ spec });
    expect(same).toMatchObject({
      status: 200,
      headers: { etag: created.headers["etag"], "bowline-outcome": "unchanged" },
    });
    expect(await store.changes.head()).toBe(before);
    const updated = await put(bodyOf("a", otherSpec));
    expect(updated).toMatchObject({
      status: 200,
      headers: { "bowline-outcome": "updated" },
      body: { metadata: { generation: 2 } },
    });
    expect(updated.headers["etag"]).not.toBe(created.headers["etag"]);
    const { items } = await store.audit.list({ kind: kind.kind });
    expect(items.map(({ verb, httpStatus }) => [verb, httpStatus])).toEqual([
      ["update", 200],
      ["create", 201],
    ]);
  });

  test("takes back what a get gave, and refuses it when it is out of date", async () => {
    const { call, store } = await openTestApi();
    await call("PUT", addressFor(kind, "a"), { body: bodyOf("a", spec) });
    const got = await call("GET", addressFor(kind, "a"));
    const before = await store.changes.head();
    expect((await call("PUT", addressFor(kind, "a"), { body: got.body })).status).toBe(200);
    expect(await store.changes.head()).toBe(before);
    await call("PUT", addressFor(kind, "a"), { body: bodyOf("a", otherSpec) });
    const stale = await call("PUT", addressFor(kind, "a"), { body: got.body });
    expect(stale.status).toBe(409);
    expect(errorOf(stale)).toMatchObject({ code: "Conflict" });
  });

  test("keeps to If-Match and If-None-Match", async () => {
    const { call, store } = await openTestApi();
    const put = (headers: Record<string, string>, given = spec) =>
      call("PUT", addressFor(kind, "a"), { body: bodyOf("a", given), headers });
    const missing = await put({ "if-match": "*" });
    expect(missing.status).toBe(412);
    expect(errorOf(missing)).toMatchObject({ code: "PreconditionFailed" });
    expect(await store.objects.get(kind, "a")).toBeUndefined();
    const created = await put({ "if-none-match": "*" });
    expect(created.status).toBe(201);
    const etag = String(created.headers["etag"]);
    expect((await put({ "if-none-match": "*" }, otherSpec)).status).toBe(412);
    expect((await put({ "if-match": '"0"' }, otherSpec)).status).toBe(412);
    expect((await put({ "if-match": `W/${etag}` }, otherSpec)).status).toBe(412);
    expect((await put({ "if-match": `"0", ${etag}` }, otherSpec)).status).toBe(200);
    expect((await put({ "if-match": etag })).status).toBe(412);
    expect((await put({ "if-match": "*" })).status).toBe(200);
  });

  test("refuses another name in the body, and a name that is none", async () => {
    const { call, store } = await openTestApi();
    const { total } = await store.objects.list(kind);
    const other = await call("PUT", addressFor(kind, "a"), { body: bodyOf("b", spec) });
    expect(other.status).toBe(422);
    expect(errorOf(other)).toMatchObject({
      fields: [{ path: "metadata.name", message: "must be the name in the address" }],
    });
    const wrong = await call("PUT", addressFor(kind, "Not%00Good"), { body: { spec } });
    expect(wrong.status).toBe(422);
    expect(errorOf(wrong)).toMatchObject({ fields: [{ path: "metadata.name" }] });
    expect(await store.objects.list(kind)).toMatchObject({ total });
  });
});

describe("Applying", () => {
  test("refuses to change what cannot be changed", async () => {
    const { call } = await openTestApi();
    await call("PUT", "/api/v1/clusters/a", { body: { spec: { provider: "existing" } } });
    const answer = await call("PUT", "/api/v1/clusters/a", { body: { spec: { provider: "kind" } } });
    expect(answer.status).toBe(422);
    expect(errorOf(answer)).toMatchObject({ fields: [{ path: "spec.provider" }] });
  });

  test("needs the secret to create, and not to update", async () => {
    const { call, store } = await openTestApi();
    const without = { spec: { type: "token" } };
    const missing = await call("PUT", "/api/v1/credentials/a", { body: without });
    expect(missing.status).toBe(422);
    expect(errorOf(missing)).toMatchObject({ fields: [{ path: "spec.data", message: "is required" }] });
    const data = { token: "s3cret-value" };
    await call("PUT", "/api/v1/credentials/a", { body: { spec: { type: "token", data } } });
    expect((await call("PUT", "/api/v1/credentials/a", { body: without })).status).toBe(200);
    expect(await store.objects.reveal(Credential, "a")).toMatchObject({ spec: { data } });
  });

  test("of two who write at the same version, one is refused", async () => {
    const { call, store } = await openTestApi();
    const { headers } = await call("PUT", "/api/v1/clusters/a", { body: { spec: {} } });
    const put = (region: string) =>
      call("PUT", "/api/v1/clusters/a", {
        body: { spec: { region } },
        headers: { "if-match": String(headers["etag"]) },
      });
    const statuses = (await Promise.all([put("eu-1"), put("eu-2")])).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200, 412]));
    expect(await store.objects.get(Cluster, "a")).toMatchObject({ metadata: { generation: 2 } });
  });

  test.each(["5", '"5', "W/5", '"5" "6"', "", ","])("refuses If-Match: %s", async (value) => {
    const { call } = await openTestApi();
    const answer = await call("PUT", "/api/v1/clusters/a", {
      body: { spec: {} },
      headers: { "if-match": value },
    });
    expect(answer.status).toBe(400);
    expect(errorOf(answer).message).toContain("If-Match");
  });
});
