import { Cluster, createValidator, Token, WorkloadDefinition } from "@bowline/api";
import { asRecord } from "@bowline/core";
import { ManualClock } from "@bowline/core/testing";
import { describe, expect, test } from "vitest";

import { openTestStore } from "@bowline/store/testing";
import { addressFor, errorOf, openTestApi } from "./testing/api-harness.ts";
import { bodyOf, samples } from "./testing/sample-bodies.ts";

describe.each(samples)("Creating $kind.kind", ({ kind, spec, otherSpec, wrong }) => {
  test("answers with the object, where it is, and its ETag", async () => {
    const { call, store } = await openTestApi();
    const body = bodyOf("a", spec, { labels: { env: "prod" } });
    const created = await call("POST", addressFor(kind), { body });
    expect(created.status).toBe(201);
    expect(createValidator(kind.schemas.created)(created.body)).toEqual({ ok: true, value: created.body });
    const { resourceVersion } = asRecord(created.body["metadata"]);
    expect(created.headers).toMatchObject({
      location: addressFor(kind, "a"),
      etag: `"${String(resourceVersion)}"`,
    });
    const stored = await store.objects.get(kind, "a");
    expect(stored).toMatchObject({ metadata: { name: "a", labels: { env: "prod" }, resourceVersion } });
  });

  test("refuses a name that is taken, a wrong field, and an unknown one", async () => {
    const { call, store } = await openTestApi();
    await call("POST", addressFor(kind), { body: bodyOf("a", spec) });
    const { total } = await store.objects.list(kind);
    const taken = await call("POST", addressFor(kind), { body: bodyOf("a", otherSpec) });
    expect(taken.status).toBe(409);
    expect(errorOf(taken)).toMatchObject({ code: "AlreadyExists" });
    const [path, value] = wrong;
    const invalid = await call("POST", addressFor(kind), { body: bodyOf("b", { ...spec, [path]: value }) });
    expect(invalid.status).toBe(422);
    expect(errorOf(invalid)).toMatchObject({ code: "Invalid", fields: [{ path: `spec.${path}` }] });
    const unknown = await call("POST", addressFor(kind), { body: bodyOf("b", { ...spec, colour: "red" }) });
    expect(errorOf(unknown)).toMatchObject({
      fields: [{ path: "spec.colour", message: expect.stringContaining("unknown") }],
    });
    expect(await store.objects.list(kind)).toMatchObject({ total });
  });

  test("gives the first answer again to the same idempotency key", async () => {
    const { call, store } = await openTestApi();
    const headers = { "idempotency-key": "attempt-1" };
    const create = (name: string, as = "operator") =>
      call("POST", addressFor(kind), { body: bodyOf(name, spec), headers, as });
    const [first, second] = await Promise.all([create("a"), create("a")]);
    expect(first.status).toBe(201);
    expect(first.headers).toMatchObject({ location: addressFor(kind, "a"), etag: expect.any(String) });
    for (const repeated of [second, await create("a")]) {
      expect(repeated).toMatchObject({
        status: 201,
        text: first.text,
        headers: {
          location: first.headers["location"],
          etag: first.headers["etag"],
          "bowline-outcome": "created",
        },
      });
    }
    const other = await create("b");
    expect(other.status).toBe(422);
    expect(errorOf(other).message).toContain("idempotency key");
    expect(await store.objects.get(kind, "b")).toBeUndefined();
    const { items } = await store.audit.list({ kind: kind.kind, verb: "create", outcome: "allowed" });
    expect(items).toHaveLength(1);
  });
});

describe("Creating", () => {
  test("the secret of a token is in the answer to its create, in every repetition, and nowhere else", async () => {
    const { call, store, log, audited } = await openTestApi();
    const body = bodyOf("a", { user: "editor" });
    const headers = { "idempotency-key": "k" };
    const created = await call("POST", "/api/v1/tokens", { body, headers });
    const { secret } = asRecord(created.body["status"]);
    expect(secret).toMatch(/^issued-secret/u);
    expect(await call("POST", "/api/v1/tokens", { body, headers })).toMatchObject({
      body: { status: { secret } },
    });
    const applied = await call("PUT", "/api/v1/tokens/b", { body: bodyOf("b", { user: "editor" }) });
    expect(applied).toMatchObject({ status: 201, body: { status: { secret: expect.any(String) } } });
    const again = await call("PUT", "/api/v1/tokens/b", { body: bodyOf("b", { user: "editor" }) });
    expect(again.status).toBe(200);
    const elsewhere = [
      again,
      await call("GET", "/api/v1/tokens"),
      await call("GET", "/api/v1/tokens/a"),
      await call("PATCH", "/api/v1/tokens/a", { body: { spec: { description: "x" } } }),
      await call("DELETE", "/api/v1/tokens/a"),
      log,
      await audited(),
    ];
    expect(JSON.stringify(elsewhere)).not.toContain("issued-secret");
    expect(await store.objects.findByLookupKey(Token, `hash-of-${String(secret)}`)).toBeUndefined();
  });

  test("an idempotency key is the user's own, and is forgotten after a day", async () => {
    const clock = new ManualClock();
    const testStore = await openTestStore({ type: "sqlite", file: ":memory:" }, { clock });
    const { call } = await openTestApi({ testStore });
    const create = (as: string, name: string) =>
      call("POST", "/api/v1/clusters", {
        as,
        body: bodyOf(name, {}),
        headers: { "idempotency-key": "k" },
      });
    expect((await create("operator", "a")).status).toBe(201);
    expect((await create("editor", "b")).status).toBe(201);
    await clock.advance(24 * 3_600_000 + 1);
    expect((await create("operator", "c")).status).toBe(201);
  });

  test.each(["", "a b", "ü", "x".repeat(129)])("refuses the idempotency key %j", async (key) => {
    const { call } = await openTestApi();
    const headers = { "idempotency-key": key };
    const answer = await call("POST", "/api/v1/clusters", { body: bodyOf("a", {}), headers });
    expect(answer.status).toBe(400);
    expect(errorOf(answer).message).toContain("Idempotency-Key");
  });

  test("refuses to refer to what must exist, and to create at a version", async () => {
    const { call } = await openTestApi();
    const token = await call("POST", "/api/v1/tokens", { body: bodyOf("a", { user: "nobody" }) });
    expect(token.status).toBe(422);
    expect(errorOf(token)).toMatchObject({ fields: [{ path: "spec.user" }] });
    const versioned = await call("POST", "/api/v1/clusters", {
      body: bodyOf("a", {}, { resourceVersion: "1" }),
    });
    expect(errorOf(versioned)).toMatchObject({ code: "Conflict" });
  });

  test("takes the largest WorkloadDefinition there can be", async () => {
    const { call, store } = await openTestApi();
    const start = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: large}\ndata:\n  text: ";
    const manifests = start + "é".repeat(Math.floor((1024 * 1024 - start.length) / 2));
    const body = JSON.stringify(bodyOf("a", { source: { inline: { manifests } } }));
    const escaped = body.replaceAll("é", String.raw`\u00e9`);
    expect(escaped.length).toBeGreaterThan(3_000_000);
    const created = await call("POST", "/api/v1/workloaddefinitions", { body: escaped });
    expect(created.status).toBe(201);
    const stored = await store.objects.get(WorkloadDefinition, "a");
    expect(stored?.spec.source.inline?.manifests).toBe(manifests);
  });

  test("a name with finalizers of an object that is going is not free yet", async () => {
    const { call, store } = await openTestApi();
    await store.objects.create(Cluster, {
      metadata: { name: "a", labels: {}, annotations: {} },
      spec: { provider: "existing" },
      finalizers: ["bowline.dev/test"],
    });
    await call("DELETE", "/api/v1/clusters/a");
    const answer = await call("POST", "/api/v1/clusters", { body: bodyOf("a", {}) });
    expect(errorOf(answer).message).toContain("still being deleted");
  });
});
