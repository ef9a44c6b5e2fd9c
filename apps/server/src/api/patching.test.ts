import { Credential, GraphQuestion } from "@bowline/api";
import { asRecord } from "@bowline/core";
import { describe, expect, test } from "vitest";

import { addressFor, errorOf, openTestApi } from "./testing/api-harness.ts";
import { bodyOf, samples } from "./testing/sample-bodies.ts";

const mergePatch = { "content-type": "application/merge-patch+json" };

describe.each(samples)("Patching $kind.kind", ({ kind, spec, otherSpec, wrong }) => {
  test("sets and takes out fields, and writes nothing when nothing changes", async () => {
    const { call, store } = await openTestApi();
    await call("PUT", addressFor(kind, "a"), { body: bodyOf("a", spec, { labels: { a: "1", b: "2" } }) });
    const patch = (body: object, headers = mergePatch) =>
      call("PATCH", addressFor(kind, "a"), { body, headers });
    const labelled = await patch({ metadata: { labels: { a: null, c: "3" } } });
    expect(labelled).toMatchObject({
      status: 200,
      body: { metadata: { labels: { b: "2", c: "3" }, generation: 1 } },
      headers: { etag: expect.any(String) },
    });
    expect(asRecord(labelled.body["metadata"])["labels"]).not.toHaveProperty("a");
    const before = await store.changes.head();
    const same = await patch({}, { "content-type": "application/json" });
    expect(same).toMatchObject({ status: 200, headers: { etag: labelled.headers["etag"] } });
    expect(await store.changes.head()).toBe(before);
    const respecified = await patch({ spec: { ...nulled(spec), ...otherSpec } });
    expect(respecified).toMatchObject({ status: 200, body: { metadata: { generation: 2 } } });
    const [record] = (await store.audit.list()).items;
    expect(record).toMatchObject({ verb: "patch", kind: kind.kind, name: "a", outcome: "allowed" });
  });

  test("refuses what a write would refuse, and then changes nothing", async () => {
    const { call, store } = await openTestApi();
    const { headers } = await call("PUT", addressFor(kind, "a"), { body: bodyOf("a", spec) });
    const [path, value] = wrong;
    const attempts: [unknown, number, string][] = [
      [{ spec: { [path]: value } }, 422, "Invalid"],
      [{ spec: { colour: "red" } }, 422, "Invalid"],
      [{ metadata: { name: "b" } }, 422, "Invalid"],
      [{ metadata: { resourceVersion: "0" } }, 409, "Conflict"],
      [{ metadata: { resourceVersion: 7 } }, 422, "Invalid"],
      [[], 422, "Invalid"],
      [null, 422, "Invalid"],
      ["text", 422, "Invalid"],
      ['{"__proto__": {"x": 1}}', 422, "Invalid"],
      ['{"spec": {"constructor": {"prototype": 1}}}', 422, "Invalid"],
      [`${'{"a":'.repeat(50)}1${"}".repeat(50)}`, 400, "BadRequest"],
    ];
    for (const [body, status, code] of attempts) {
      const sent = typeof body === "string" && body.startsWith("{") ? body : JSON.stringify(body);
      const answer = await call("PATCH", addressFor(kind, "a"), { body: sent, headers: mergePatch });
      expect([sent, answer.status, errorOf(answer).code]).toEqual([sent, status, code]);
    }
    expect((await call("GET", addressFor(kind, "a"))).headers["etag"]).toBe(headers["etag"]);
    expect((await call("PATCH", addressFor(kind, "none"), { body: {}, headers: mergePatch })).status).toBe(
      404,
    );
    expect(await store.objects.get(kind, "none")).toBeUndefined();
  });

  test("keeps to If-Match", async () => {
    const { call } = await openTestApi();
    const { headers } = await call("PUT", addressFor(kind, "a"), { body: bodyOf("a", spec) });
    const patch = (etag: string) =>
      call("PATCH", addressFor(kind, "a"), {
        body: { metadata: { labels: { x: "y" } } },
        headers: { ...mergePatch, "if-match": etag },
      });
    expect((await patch('"0"')).status).toBe(412);
    expect((await patch(String(headers["etag"]))).status).toBe(200);
    expect((await patch(String(headers["etag"]))).status).toBe(412);
  });
});

describe("Patching", () => {
  test("leaves secrets that the patch leaves out, and replaces those it sets", async () => {
    const { call, store } = await openTestApi();
    const data = { username: "deploy", password: "one" };
    await call("PUT", "/api/v1/credentials/a", { body: { spec: { type: "basic", data } } });
    await call("PATCH", "/api/v1/credentials/a", { body: { metadata: { labels: { x: "y" } } } });
    await call("PATCH", "/api/v1/credentials/a", { body: { spec: { data: null } } });
    expect(await store.objects.reveal(Credential, "a")).toMatchObject({ spec: { data } });
    const half = await call("PATCH", "/api/v1/credentials/a", {
      body: { spec: { data: { password: "two" } } },
    });
    expect(errorOf(half)).toMatchObject({ fields: [{ path: "spec.data.username" }] });
    const both = { username: "deploy", password: "two" };
    const set = await call("PATCH", "/api/v1/credentials/a", { body: { spec: { data: both } } });
    expect(set.status).toBe(200);
    expect(set.text).not.toContain("two");
    expect(await store.objects.reveal(Credential, "a")).toMatchObject({ spec: { data: both } });
  });

  test.each(["PATCH", "PUT"] as const)(
    "with %s asks for the secret of what is added, as creating does, and not for that of what was there",
    async (method) => {
      const { call, store } = await openTestApi();
      const address = "/api/v1/graphquestions/a";
      const spec = { question: "search", parameters: { text: "web" } };
      const url = "https://alerts.example.com/bowline";
      const write = (webhook?: object) => call(method, address, { body: { spec: { ...spec, webhook } } });
      await call("PUT", address, { body: { spec } });
      expect(errorOf(await write({ url }))).toMatchObject({
        code: "Invalid",
        fields: [{ path: "spec.webhook.secret", message: "is required" }],
      });
      expect((await write({ url, secret: "sixteen-characters" })).status).toBe(200);
      expect((await write({ url: `${url}/other` })).status).toBe(200);
      expect(await store.objects.reveal(GraphQuestion, "a")).toMatchObject({
        spec: { webhook: { url: `${url}/other`, secret: "sixteen-characters" } },
      });
    },
  );

  test("refuses to change what cannot be changed", async () => {
    const { call } = await openTestApi();
    await call("PUT", "/api/v1/clusters/a", { body: { spec: {} } });
    const answer = await call("PATCH", "/api/v1/clusters/a", { body: { spec: { provider: "kind" } } });
    expect(errorOf(answer)).toMatchObject({ code: "Invalid", fields: [{ path: "spec.provider" }] });
  });

  test("two patches of different fields at the same time both count", async () => {
    const { call } = await openTestApi();
    await call("PUT", "/api/v1/clusters/a", { body: { spec: {} } });
    const patches = Array.from({ length: 10 }, (_, index) =>
      call("PATCH", "/api/v1/clusters/a", { body: { metadata: { labels: { [`l${index}`]: "x" } } } }),
    );
    expect((await Promise.all(patches)).every(({ status }) => status === 200)).toBe(true);
    const { body } = await call("GET", "/api/v1/clusters/a");
    expect(Object.keys(asRecord(asRecord(body["metadata"])["labels"]))).toHaveLength(10);
  });
});

function nulled(spec: object): object {
  return Object.fromEntries(Object.keys(spec).map((key) => [key, null]));
}
