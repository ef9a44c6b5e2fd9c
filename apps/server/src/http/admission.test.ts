import { Cluster, User } from "@bowline/api";
import { Metrics } from "@bowline/core";
import { ManualClock } from "@bowline/core/testing";
import { describe, expect, test } from "vitest";

import type { ApiPlugin } from "../api/http-api.ts";
import { addressFor, errorOf, openTestApi } from "../api/testing/api-harness.ts";
import { bodyOf, samples } from "../api/testing/sample-bodies.ts";
import { identityOf, addressKey } from "./admission.ts";

const verbs = [
  ["GET", "", undefined],
  ["POST", "", {}],
  ["GET", "/a", undefined],
  ["PUT", "/a", {}],
  ["PATCH", "/a", {}],
  ["DELETE", "/a", undefined],
  ["GET", "/a/status", undefined],
  ["PUT", "/a/status", {}],
] as const;

describe.each(samples)("Access to $kind.kind", ({ kind, spec }) => {
  test("is refused without a valid token, whatever the request, and recorded", async () => {
    const { call, audited, access } = await openTestApi();
    for (const [method, path, body] of verbs) {
      for (const as of [null, "nobody"]) {
        const answer = await call(method, addressFor(kind) + path, { as, body });
        expect(answer.status).toBe(401);
        expect(answer.headers["www-authenticate"]).toBe("Bearer");
        expect(errorOf(answer)).toMatchObject({ code: "Unauthorized" });
      }
    }
    expect(access.awaited).toEqual([]);
    const records = await audited();
    expect(records.every(({ outcome, kind: of }) => outcome === "denied" && of === kind.kind)).toBe(true);
    expect(new Set(records.map(({ verb }) => verb))).toEqual(
      new Set(["read", "create", "update", "patch", "delete", "update-status"]),
    );
    expect(records[0]).toMatchObject({ actor: { address: "127.0.0.1" }, httpStatus: 401 });
  });

  test("for writing is refused to a viewer before the body is looked at, and recorded", async () => {
    const { call, store, audited } = await openTestApi();
    await call("PUT", addressFor(kind, "a"), { body: bodyOf("a", spec) });
    const revision = await store.changes.head();
    for (const [method, path, body] of verbs.filter(([verb]) => verb !== "GET")) {
      const answer = await call(method, addressFor(kind) + path, { as: "viewer", body: body && "{broken" });
      expect(answer.status).toBe(403);
      expect(errorOf(answer)).toMatchObject({ code: "Forbidden" });
    }
    expect(await store.changes.head()).toBe(revision);
    const denied = (await audited()).filter(({ outcome }) => outcome === "denied");
    expect(denied).toHaveLength(5);
    expect(denied.every(({ actor }) => actor.user === "viewer" && actor.token === "viewer-token")).toBe(true);
    expect(denied.filter(({ name }) => name === "a")).toHaveLength(4);
  });

  test("a write is answered when authentication knows of it", async () => {
    const { call, access } = await openTestApi();
    const { promise, resolve } = Promise.withResolvers<void>();
    access.effect = promise;
    let isAnswered = false;
    const answered = call("PUT", addressFor(kind, "a"), { body: bodyOf("a", spec) }).then((answer) => {
      isAnswered = true;
      return answer;
    });
    await expect.poll(() => access.awaited).toHaveLength(1);
    expect(isAnswered).toBe(false);
    resolve();
    const { headers, status } = await answered;
    expect(status).toBe(201);
    expect(access.awaited).toEqual([`${kind.kind}/${String(headers["etag"]).replaceAll('"', "")}`]);
    await call("PUT", addressFor(kind, "a"), { body: bodyOf("a", spec) });
    await call("DELETE", addressFor(kind, "a"));
    expect(access.awaited).toHaveLength(3);
  });
});

describe("Admission", () => {
  test("takes an identity that has to be looked up", async () => {
    const { call } = await openTestApi();
    expect((await call("GET", "/api/v1/clusters", { as: "slow-viewer" })).status).toBe(200);
    const denied = await call("POST", "/api/v1/clusters", { as: "slow-viewer", body: {} });
    expect(denied.status).toBe(403);
  });

  test("records every write with who made it, and mutations that failed", async () => {
    const { call, audited } = await openTestApi();
    const headers = { "x-request-id": "r-1" };
    await call("POST", "/api/v1/clusters", { as: "editor", body: bodyOf("a", {}), headers });
    await call("POST", "/api/v1/clusters", { as: "editor", body: bodyOf("a", {}), headers });
    await call("PUT", "/api/v1/clusters/a", { as: "editor", body: { spec: { region: 7 } }, headers });
    await call("GET", "/api/v1/clusters/none", { as: "editor", headers });
    const actor = { user: "editor", token: "editor-token", address: "127.0.0.1" };
    expect((await audited()).toReversed()).toMatchObject([
      {
        actor,
        verb: "create",
        outcome: "allowed",
        httpStatus: 201,
        kind: "Cluster",
        name: "a",
        requestId: "r-1",
      },
      { actor, verb: "create", outcome: "failed", httpStatus: 409, kind: "Cluster" },
      { actor, verb: "update", outcome: "failed", httpStatus: 422, kind: "Cluster", name: "a" },
    ]);
  });

  test("puts no secret into the log or the audit records", async () => {
    const { call, log, audited } = await openTestApi();
    const data = { username: "hunter2-user", token: "hunter2-token" };
    await call("POST", "/api/v1/credentials", { body: bodyOf("a", { type: "basic", data }) });
    await call("POST", "/api/v1/credentials", { body: '{"spec": {"data": {"token": "hunter2-cut' });
    await call("PUT", "/api/v1/credentials/a", {
      body: { spec: { type: "token", data: { token: ["hunter2"] } } },
    });
    await call("GET", "/api/v1/credentials", { as: "hunter2-bearer" });
    expect(JSON.stringify([log, await audited()])).not.toContain("hunter2");
  });

  test("gives every request an id, the client's own if it is sane", async () => {
    const { call } = await openTestApi();
    const idFor = async (given?: string) => {
      const headers = given === undefined ? {} : { "x-request-id": given };
      return (await call("GET", "/api/v1/clusters", { headers })).headers["x-request-id"];
    };
    expect(await idFor("my-request.7")).toBe("my-request.7");
    const made = [
      await idFor(),
      await idFor(""),
      await idFor("a b"),
      await idFor("x".repeat(65)),
      await idFor("<x>"),
    ];
    expect(new Set(made).size).toBe(5);
    for (const id of made) expect(id).toMatch(/^[0-9a-f]{12}-[0-9a-z]+$/u);
  });
});

describe("The rate limit", () => {
  const limits = { userRate: { perSecond: 1, burst: 3 }, addressRate: { perSecond: 0.5, burst: 2 } };

  test("is each user's own", async () => {
    const clock = new ManualClock();
    const { call, audited } = await openTestApi({ clock, limits });
    const statuses = async (as: string | null, count: number) => {
      const answers = [];
      for (let index = 0; index < count; index += 1)
        answers.push(await call("GET", "/api/v1/clusters", { as }));
      return answers.map(({ status }) => status);
    };
    expect(await statuses("editor", 4)).toEqual([200, 200, 200, 429]);
    expect(await statuses("viewer", 1)).toEqual([200]);
    const limited = await call("POST", "/api/v1/clusters", { as: "editor", body: {} });
    expect(limited.status).toBe(429);
    expect(limited.headers["retry-after"]).toBe("1");
    expect(errorOf(limited)).toMatchObject({ code: "TooManyRequests" });
    await clock.advance(1_000);
    expect(await statuses("editor", 2)).toEqual([200, 429]);
    expect(await audited()).toEqual([]);
  });

  test("counts those without a valid token by their address, and does not hold up the others there", async () => {
    const clock = new ManualClock();
    const { call } = await openTestApi({ clock, limits });
    expect((await call("GET", "/api/v1/clusters", { as: null })).status).toBe(401);
    expect((await call("GET", "/nowhere", { as: null })).status).toBe(404);
    const limited = await call("GET", "/api/v1/clusters", { as: "nobody" });
    expect(limited).toMatchObject({ status: 429, headers: { "retry-after": "2" } });
    expect((await call("GET", "/nowhere", { as: null })).status).toBe(429);
    expect((await call("GET", "/api/v1/clusters", { as: "editor" })).status).toBe(200);
  });
});

describe("Routes of others", () => {
  const plugin: ApiPlugin = (app, { audit }) => {
    app.get("/open", { config: { open: true } }, () => ({ hello: "world" }));
    app.get("/closed", (request) => ({ user: identityOf(request).user }));
    app.post("/login", { config: { open: true, auditVerb: "login" } }, (request) => {
      audit.record({
        actor: {},
        verb: "login",
        outcome: "allowed",
        httpStatus: 200,
        requestId: request.id,
      });
      return request.body;
    });
    app.get("/broken", { config: { open: true } }, (request) => identityOf(request));
  };

  test("need a token unless they say otherwise, and share errors, ids and records", async () => {
    const { call, audited } = await openTestApi({ plugins: [plugin] });
    expect(await call("GET", "/open", { as: null })).toMatchObject({ status: 200, body: { hello: "world" } });
    expect(await call("GET", "/closed", { as: "viewer" })).toMatchObject({ body: { user: "viewer" } });
    expect(errorOf(await call("GET", "/closed", { as: null }))).toMatchObject({ code: "Unauthorized" });
    expect(errorOf(await call("POST", "/login", { as: null, body: "{" }))).toMatchObject({
      code: "BadRequest",
    });
    expect((await call("POST", "/login", { as: null, body: { a: 1 } })).status).toBe(200);
    expect(errorOf(await call("GET", "/broken"))).toMatchObject({ code: "Internal" });
    expect((await call("PUT", "/closed")).headers["allow"]).toBe("GET, HEAD");
    const records = await audited();
    expect(records.map(({ verb, outcome }) => `${verb} ${outcome}`).toSorted()).toEqual([
      "login allowed",
      "login failed",
      "read denied",
    ]);
  });
});

describe("Metrics", () => {
  test("measure requests by route and status", async () => {
    const metrics = new Metrics({ version: "0", revision: "0" });
    const { call } = await openTestApi({ metrics });
    await call("POST", "/api/v1/clusters", { body: bodyOf("a", {}) });
    await call("GET", "/api/v1/clusters/a");
    await call("GET", "/api/v1/clusters/b");
    await call("GET", "/api/v1/nothing");
    const text = await metrics.text();
    const name = "bowline_http_request_duration_seconds_count";
    expect(text).toContain(`${name}{method="POST",route="/api/v1/clusters",code="201"} 1`);
    expect(text).toContain(`${name}{method="GET",route="/api/v1/clusters/:name",code="200"} 1`);
    expect(text).toContain(`${name}{method="GET",route="/api/v1/clusters/:name",code="404"} 1`);
    expect(text).toContain(`${name}{method="GET",route="none",code="404"} 1`);
  });
});

test("Requests are logged at the level debug only", async () => {
  const quiet = await openTestApi();
  await quiet.call("GET", "/api/v1/clusters/a");
  expect(quiet.log).toEqual([]);
  const { call, log } = await openTestApi({ logLevel: "debug" });
  await call("GET", "/api/v1/clusters?limit=1", { headers: { "x-request-id": "r-1" } });
  expect(log.map((line) => JSON.parse(line))).toMatchObject([
    { requestId: "r-1", method: "GET", path: "/api/v1/clusters", status: 200, user: "operator" },
  ]);
});

test("Closing waits for requests under way", async () => {
  const { app, call, access, store } = await openTestApi();
  const { promise, resolve } = Promise.withResolvers<void>();
  access.effect = promise;
  const answered = call("POST", "/api/v1/users", { body: bodyOf("a", {}) });
  await expect.poll(() => access.awaited).toHaveLength(1);
  const closed = app.close();
  resolve();
  expect((await answered).status).toBe(201);
  await closed;
  expect(await store.objects.get(User, "a")).toBeDefined();
  expect(await store.objects.get(Cluster, "a")).toBeUndefined();
});

describe("addressKey", () => {
  test.each([
    ["192.0.2.7", "192.0.2.7"],
    ["::ffff:192.0.2.7", "192.0.2.7"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:db8:1:2::6", "2001:db8:1:2::/64"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
    ["::", "0:0:0:0::/64"],
  ])("takes %s for %s", (address, key) => {
    expect(addressKey(address)).toBe(key);
  });
});
