import { asRecord } from "@bowline/core";
import { describe, expect, test } from "vitest";

import { addressFor, errorOf, openTestApi } from "./testing/api-harness.ts";
import { bodyOf, samples } from "./testing/sample-bodies.ts";

describe.each(samples)("A dry run on $kind.kind", ({ kind, spec, otherSpec, wrong }) => {
  test("answers what would be written, and writes nothing", async () => {
    const { call, store } = await openTestApi();
    const created = await call("PUT", addressFor(kind, "a"), { body: bodyOf("a", spec) });
    const etag = String(created.headers["etag"]);
    const [revision, records] = [await store.changes.head(), (await store.audit.list()).total];

    const post = await call("POST", `${addressFor(kind)}?dryRun=true`, {
      body: bodyOf("b", otherSpec),
      headers: { "idempotency-key": "k" },
    });
    expect(post).toMatchObject({ status: 201, body: { metadata: { name: "b", resourceVersion: "0" } } });
    expect(asRecord(post.body["status"])["secret"]).toBeUndefined();
    const put = await call("PUT", `${addressFor(kind, "a")}?dryRun`, { body: bodyOf("a", otherSpec) });
    expect(put).toMatchObject({ status: 200, body: { metadata: { generation: 2 } } });
    const creating = await call("PUT", `${addressFor(kind, "b")}?dryRun`, { body: bodyOf("b", otherSpec) });
    expect(creating.status).toBe(201);
    const patch = await call("PATCH", `${addressFor(kind, "a")}?dryRun`, {
      body: { metadata: { labels: { x: "y" } } },
    });
    expect(patch).toMatchObject({ status: 200, body: { metadata: { labels: { x: "y" } } } });
    const status = await call("PUT", `${addressFor(kind, "a")}/status?dryRun`, {
      body: { status: { observedGeneration: 1 } },
    });
    expect(status).toMatchObject({ status: 200, body: { status: { observedGeneration: 1 } } });
    const removed = await call("DELETE", `${addressFor(kind, "a")}?dryRun`);
    expect(removed).toMatchObject({ status: 200, body: { metadata: { name: "a" } } });

    for (const { headers } of [post, put, creating, patch, status, removed]) {
      // An ETag or an address would be a promise.
      expect([headers["etag"], headers["location"]]).toEqual([undefined, undefined]);
    }
    expect((await call("GET", addressFor(kind, "a"))).headers["etag"]).toBe(etag);
    expect((await call("GET", addressFor(kind, "b"))).status).toBe(404);
    expect(await store.changes.head()).toBe(revision);
    expect((await store.audit.list()).total).toBe(records);
    // The idempotency key was not used up.
    const meant = await call("POST", addressFor(kind), {
      body: bodyOf("c", otherSpec),
      headers: { "idempotency-key": "k" },
    });
    expect(meant).toMatchObject({ status: 201, body: { metadata: { name: "c" } } });
  });

  test("finds everything that would refuse the write, and leaves no record of it unless it is denied", async () => {
    const { call, audited } = await openTestApi();
    await call("PUT", addressFor(kind, "a"), { body: bodyOf("a", spec) });
    const [path, value] = wrong;
    const stale = bodyOf("a", otherSpec, { resourceVersion: "0" });
    const refused = [
      await call("POST", `${addressFor(kind)}?dryRun`, { body: bodyOf("a", spec) }),
      await call("POST", `${addressFor(kind)}?dryRun`, { body: bodyOf("b", { ...spec, [path]: value }) }),
      await call("PUT", `${addressFor(kind, "a")}?dryRun`, { body: stale }),
      await call("PUT", `${addressFor(kind, "a")}?dryRun`, {
        body: bodyOf("a", spec),
        headers: { "if-match": '"0"' },
      }),
      await call("PATCH", `${addressFor(kind, "none")}?dryRun`, { body: {} }),
      await call("DELETE", `${addressFor(kind, "none")}?dryRun`),
      await call("POST", `${addressFor(kind)}?dryRun`, { as: "viewer", body: bodyOf("b", otherSpec) }),
    ];
    expect(refused.map((answer) => errorOf(answer).code)).toEqual([
      "AlreadyExists",
      "Invalid",
      "Conflict",
      "PreconditionFailed",
      "NotFound",
      "NotFound",
      "Forbidden",
    ]);
    const records = await audited();
    expect(records.filter(({ outcome }) => outcome !== "allowed").map(({ outcome }) => outcome)).toEqual([
      "denied",
    ]);
  });
});

describe("A dry run", () => {
  test("finds references to what must exist, and objects that block a deletion", async () => {
    const { call } = await openTestApi();
    const token = await call("POST", "/api/v1/tokens?dryRun", { body: bodyOf("t", { user: "nobody" }) });
    expect(errorOf(token)).toMatchObject({ code: "Invalid", fields: [{ path: "spec.user" }] });
    await call("POST", "/api/v1/tokens", { body: bodyOf("t", { user: "editor" }) });
    const user = await call("DELETE", "/api/v1/users/editor?dryRun");
    expect(errorOf(user)).toMatchObject({
      code: "StillReferenced",
      blockedBy: [{ kind: "Token", name: "t" }],
    });
  });
});
