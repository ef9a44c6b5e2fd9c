import { asRecord } from "@bowline/core";
import { describe, expect, test } from "vitest";

import { addressFor, errorOf, openTestApi } from "./testing/api-harness.ts";
import { bodyOf, samples } from "./testing/sample-bodies.ts";

const ready = {
  type: "Ready",
  status: "True",
  reason: "Tested",
  message: "",
  lastTransitionTime: "2026-01-31T12:00:00.000Z",
  observedGeneration: 1,
};

describe.each(samples)("The status of $kind.kind", ({ kind, spec }) => {
  test("is written without a new generation, once", async () => {
    const { call, store } = await openTestApi();
    await call("PUT", addressFor(kind, "a"), { body: bodyOf("a", spec) });
    const put = () =>
      call("PUT", `${addressFor(kind, "a")}/status`, {
        body: { status: { observedGeneration: 1, conditions: [ready] } },
      });
    const written = await put();
    expect(written).toMatchObject({
      status: 200,
      headers: { etag: expect.any(String) },
      body: { metadata: { generation: 1 }, status: { observedGeneration: 1, conditions: [ready] } },
    });
    const before = await store.changes.head();
    expect((await put()).status).toBe(200);
    expect(await store.changes.head()).toBe(before);
    expect((await call("GET", `${addressFor(kind, "a")}/status`)).body).toEqual(written.body);
    const { items } = await store.audit.list({ verb: "update-status" });
    expect(items).toHaveLength(1);
  });

  test("is what a controller read, changed and sends back, at that version only", async () => {
    const { call } = await openTestApi();
    await call("PUT", addressFor(kind, "a"), { body: bodyOf("a", spec) });
    const { body, headers } = await call("GET", addressFor(kind, "a"));
    const changed = { ...body, status: { ...asRecord(body["status"]), observedGeneration: 1 } };
    const put = (extra = {}) =>
      call("PUT", `${addressFor(kind, "a")}/status`, { body: changed, headers: extra });
    expect((await put({ "if-match": '"0"' })).status).toBe(412);
    expect((await put({ "if-match": String(headers["etag"]) })).status).toBe(200);
    expect(errorOf(await put())).toMatchObject({ code: "Conflict" });
  });

  test("is for admins, and only what its schema says", async () => {
    const { call } = await openTestApi();
    await call("PUT", addressFor(kind, "a"), { body: bodyOf("a", spec) });
    const address = `${addressFor(kind, "a")}/status`;
    const denied = await call("PUT", address, { as: "editor", body: { status: {} } });
    expect(denied.status).toBe(403);
    const wrong = await call("PUT", address, { body: { status: { mood: "good", conditions: [{}] } } });
    expect(wrong.status).toBe(422);
    expect(errorOf(wrong).fields?.map(({ path }) => path)).toContain("status.mood");
    const none = await call("PUT", `${addressFor(kind, "none")}/status`, { body: { status: {} } });
    expect(none.status).toBe(404);
  });
});
