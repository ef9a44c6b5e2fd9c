import { Cluster, createValidator, Token } from "@bowline/api";
import { asRecord } from "@bowline/core";
import { describe, expect, test } from "vitest";

import { cluster } from "@bowline/store/testing";
import { addressFor, errorOf, openTestApi, type TestApi } from "./testing/api-harness.ts";
import { bodyOf, samples } from "./testing/sample-bodies.ts";

async function withClusters(): Promise<TestApi> {
  const api = await openTestApi();
  for (let index = 0; index < 5; index += 1) {
    const labels = { env: index % 2 === 0 ? "prod" : "test" };
    await api.store.objects.create(Cluster, cluster(`c${index}`, { labels, region: `eu-${index}` }));
  }
  return api;
}

function names(body: Readonly<Record<string, unknown>>): unknown {
  return Array.isArray(body["items"]) ? body["items"].map((item) => item.metadata.name) : undefined;
}

describe.each(samples)("Reading $kind.kind", ({ kind, spec }) => {
  test("gives what was created, with its ETag, alone and in the list, as the schemas say", async () => {
    const { call } = await openTestApi();
    const created = await call("POST", addressFor(kind), { body: bodyOf("a", spec) });
    const got = await call("GET", addressFor(kind, "a"));
    expect(got.status).toBe(200);
    expect(got.headers).toMatchObject({
      etag: created.headers["etag"],
      "content-type": "application/json; charset=utf-8",
      "x-request-id": expect.any(String),
    });
    expect(createValidator(kind.schemas.read)(got.body)).toEqual({ ok: true, value: got.body });
    const listed = await call("GET", `${addressFor(kind)}?fieldSelector=metadata.name=a`);
    expect(listed.status).toBe(200);
    expect(createValidator(kind.schemas.list)(listed.body)).toEqual({ ok: true, value: listed.body });
    expect(listed.body["items"]).toEqual([got.body]);
    expect(await call("GET", `${addressFor(kind, "a")}/status`)).toMatchObject({
      status: 200,
      body: got.body,
    });
  });

  test("answers 304 to who has it already, and HEAD without a body", async () => {
    const { call } = await openTestApi();
    const { headers } = await call("POST", addressFor(kind), { body: bodyOf("a", spec) });
    const etag = String(headers["etag"]);
    for (const seen of [etag, `W/${etag}`, `"0", ${etag}`, `"a,b" , ${etag}`, "*"]) {
      const unchanged = await call("GET", addressFor(kind, "a"), { headers: { "if-none-match": seen } });
      expect(unchanged).toMatchObject({ status: 304, text: "", headers: { etag } });
    }
    const changed = await call("GET", addressFor(kind, "a"), { headers: { "if-none-match": '"0"' } });
    expect(changed.status).toBe(200);
    const head = await call("HEAD", addressFor(kind, "a"));
    expect(head).toMatchObject({
      status: 200,
      text: "",
      headers: { etag, "content-length": String(Buffer.byteLength(changed.text)) },
    });
    expect((await call("HEAD", addressFor(kind))).status).toBe(200);
    expect((await call("HEAD", addressFor(kind, "none"))).status).toBe(404);
  });

  test("says that there is none, whatever the name", async () => {
    const { call } = await openTestApi();
    for (const name of ["none", "Not%20A%20Name", "%00", "__proto__", "a".repeat(64), "..%2f", ""]) {
      const answer = await call("GET", addressFor(kind, name));
      expect([name, answer.status, errorOf(answer).code]).toEqual([name, 404, "NotFound"]);
    }
  });
});

describe("Listing", () => {
  test("pages through everything, with the total and one resourceVersion", async () => {
    const { call } = await withClusters();
    const first = await call("GET", "/api/v1/clusters?limit=2");
    expect(first.body).toMatchObject({
      apiVersion: "bowline.dev/v1",
      kind: "ClusterList",
      metadata: { total: 6, resourceVersion: "8", cursor: expect.any(String) },
    });
    expect(names(first.body)).toEqual(["c0", "c1"]);
    const { cursor } = asRecord(first.body["metadata"]);
    const rest = await call("GET", `/api/v1/clusters?cursor=${String(cursor)}`);
    expect(names(rest.body)).toEqual(["c2", "c3", "c4", "sample"]);
    expect(rest.body["metadata"]).toEqual({ total: 6, resourceVersion: "8" });
  });

  test("selects by labels and fields", async () => {
    const { call } = await withClusters();
    const selected = await call(
      "GET",
      "/api/v1/clusters?labelSelector=env%3Dprod&fieldSelector=spec.region!=eu-2",
    );
    expect(names(selected.body)).toEqual(["c0", "c4"]);
    expect(selected.body["metadata"]).toMatchObject({ total: 2 });
  });

  test.each([
    ["labelSelectr=a", "did you mean «labelSelector»"],
    ["foo=bar", "there are labelSelector, fieldSelector"],
    ["limit=1&limit=2", "more than once"],
    ["limit=0", "from 1 to 1000"],
    ["limit=1001", "from 1 to 1000"],
    ["limit=1e2", "from 1 to 1000"],
    ["limit=", "from 1 to 1000"],
    ["cursor=x", "cursor"],
    ["fieldSelector=spec.regoin=x", "did you mean «spec.region»"],
    ["fieldSelector=spec.region=%00", "NUL"],
    ["labelSelector=%3D%3D", "label selector"],
    ["watch=maybe", "true or false"],
    ["resourceVersion=1", "watch"],
    ["__proto__=1", "no parameter"],
  ])("refuses ?%s", async (query, message) => {
    const { call } = await withClusters();
    const answer = await call("GET", `/api/v1/clusters?${query}`);
    expect(answer.status).toBe(400);
    expect(errorOf(answer).message).toContain(message);
  });

  test("knows no parameters where there are none", async () => {
    const { call } = await withClusters();
    const answer = await call("GET", "/api/v1/clusters/c0?limit=1");
    expect(errorOf(answer)).toMatchObject({ code: "InvalidArgument" });
  });
});

describe("Objects that are not for everybody", () => {
  test("are in no list and cannot be got by others", async () => {
    const { call, store } = await openTestApi();
    await call("PUT", "/api/v1/users/viewer", { body: bodyOf("viewer", {}) });
    for (const user of ["editor", "viewer"]) {
      const body = bodyOf(`of-${user}`, { user });
      expect((await call("POST", "/api/v1/tokens", { body })).status).toBe(201);
    }
    expect(await store.objects.list(Token)).toMatchObject({ total: 2 });
    const own = await call("GET", "/api/v1/tokens", { as: "viewer" });
    expect(names(own.body)).toEqual(["of-viewer"]);
    expect((await call("GET", "/api/v1/tokens/of-viewer", { as: "viewer" })).status).toBe(200);
    const others = await call("GET", "/api/v1/tokens/of-editor", { as: "viewer" });
    expect(errorOf(others)).toMatchObject({ code: "Forbidden" });
  });
});
