import { connect } from "node:net";
import { gzipSync } from "node:zlib";

import { Cluster } from "@bowline/api";
import { BowlineError } from "@bowline/core";
import { describe, expect, test, vi } from "vitest";

import { addressFor, errorOf, openTestApi } from "../api/testing/api-harness.ts";
import { bodyOf, samples } from "../api/testing/sample-bodies.ts";

const deep = `${'{"a":'.repeat(40)}1${"}".repeat(40)}`;
const wide = `{"spec":[${"0,".repeat(100_001)}0]}`;

/** Bodies that are wrong before anybody looks at what they say. */
const badBodies: readonly (readonly [what: string, body: string, status: number, message: string])[] = [
  ["broken JSON", '{"spec": {\n  "region": x}}', 400, "line 2, column 13"],
  ["cut off JSON", '{"metadata"', 400, "line 1, column 12"],
  ["text after the JSON", "{} {}", 400, "line 1, column 4"],
  ["no body", "", 400, "needs a body"],
  ["too deep", deep, 400, "nested deeper"],
  ["too many values", wide, 400, "100000 values"],
  ["a list", "[]", 422, "an object"],
  ["null", "null", 422, "an object"],
  ["a number", "7", 422, "an object"],
  ["a prototype", '{"__proto__": {"role": "admin"}, "metadata": {"name": "a"}}', 422, "__proto__"],
  ["a constructor", '{"metadata": {"name": "a", "labels": {"constructor": "x"}}}', 422, "constructor"],
  ["NUL in a name", String.raw`{"metadata": {"name": "a\u0000b"}}`, 422, "metadata.name"],
  [
    "half a character",
    String.raw`{"metadata": {"name": "a", "annotations": {"x": "\ud800"}}}`,
    422,
    "Unicode",
  ],
];

test.each(samples)("A bad body for $kind.kind is refused, and nothing is written", async ({ kind }) => {
  const { call, store } = await openTestApi();
  const before = await store.changes.head();
  for (const [what, body, status, message] of badBodies) {
    for (const [method, address] of [
      ["POST", addressFor(kind)],
      ["PUT", addressFor(kind, "a")],
    ] as const) {
      const answer = await call(method, address, { body });
      expect([what, answer.status]).toEqual([what, status]);
      const { message: sentence, fields = [] } = errorOf(answer);
      expect([sentence, ...fields.map((field) => `${field.path} ${field.message}`)].join("\n")).toContain(
        message,
      );
    }
  }
  expect(await store.changes.head()).toBe(before);
});

describe("A request that cannot be understood", () => {
  test.each([
    ["POST", "text/plain", "application/json"],
    ["POST", "application/x-www-form-urlencoded", "application/json"],
    ["POST", "application/merge-patch+json", "application/json"],
    ["PUT", "application/yaml", "application/json"],
    ["PATCH", "application/json-patch+json", "application/json"],
    ["POST", "nonsense", "application/json"],
    ["POST", "", "application/json"],
  ])("%s of type «%s» is 415", async (method, type, message) => {
    const { call } = await openTestApi();
    const address = method === "POST" ? "/api/v1/clusters" : "/api/v1/clusters/a";
    const answer = await call(method, address, { body: "{}", headers: { "content-type": type } });
    expect(answer.status).toBe(415);
    expect(errorOf(answer).message).toContain(message);
  });

  test("is 415 when it is compressed, and 400 when it is not in UTF-8", async () => {
    const { app } = await openTestApi();
    for (const payload of ["{}", gzipSync("{}")]) {
      const zipped = await app.inject({
        method: "POST",
        url: "/api/v1/clusters",
        headers: {
          authorization: "Bearer operator",
          "content-type": "application/json",
          "content-encoding": "gzip",
        },
        payload,
      });
      expect(zipped.statusCode).toBe(415);
      expect(zipped.body).toContain("without compression");
    }
    const latin = await app.inject({
      method: "POST",
      url: "/api/v1/clusters",
      headers: { authorization: "Bearer operator", "content-type": "application/json; charset=latin1" },
      payload: Buffer.from([0x7b, 0xff, 0x7d]),
    });
    expect(latin.statusCode).toBe(400);
    expect(latin.body).toContain("UTF-8");
  });

  test("is 413 when it is too large, told by its length or not", async () => {
    const { app, call } = await openTestApi({ limits: { maxBodyBytes: 1_000 } });
    const body = JSON.stringify(bodyOf("a", { region: "x".repeat(1_000) }));
    const answer = await call("POST", "/api/v1/clusters", { body });
    expect(answer.status).toBe(413);
    expect(errorOf(answer)).toMatchObject({ code: "BodyTooLarge" });
    const { port, hostname } = new URL(await app.listen({ port: 0, host: "127.0.0.1" }));
    const chunked = await exchange(Number(port), hostname, [
      "POST /api/v1/clusters HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer operator\r\n",
      "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n",
      `7d0\r\n${"x".repeat(2_000)}\r\n`,
    ]);
    expect(chunked).toMatch(/^HTTP\/1.1 413 /u);
  });

  test("is 404 where nothing is, with a hint", async () => {
    const { call } = await openTestApi();
    const hints: [string, string][] = [
      ["/api/v1/cluster", "did you mean «/api/v1/clusters»"],
      ["/api/v1/workloadinstance/a", "did you mean «/api/v1/workloadinstances»"],
      ["/api/v1/wi", "did you mean «/api/v1/workloadinstances»"],
      ["/api/v1/clutsers?limit=1", "did you mean «/api/v1/clusters»"],
      ["/clusters", "did you mean «/api/v1/clusters»"],
      ["/", "/openapi.json"],
      ["/api/v1/clusters/a/b/c", "/openapi.json"],
      [`/${"x".repeat(1_000)}`, "/openapi.json"],
    ];
    for (const [address, hint] of hints) {
      for (const as of ["operator", null]) {
        const answer = await call("GET", address, { as });
        expect([address, answer.status]).toEqual([address, 404]);
        expect(errorOf(answer).message).toContain(hint);
      }
    }
    const posted = await call("POST", "/nowhere", { as: null, body: "{broken" });
    expect(posted.status).toBe(404);
    const long = await call("GET", `/api/v1/clusters/${"a".repeat(200)}`);
    expect(errorOf(long)).toMatchObject({ code: "NotFound" });
    const longApplied = await call("PUT", `/api/v1/clusters/${"a".repeat(200)}`, { body: { spec: {} } });
    expect(errorOf(longApplied)).toMatchObject({ code: "Invalid", fields: [{ path: "metadata.name" }] });
    const badEscape = await call("GET", "/api/v1/clusters/%zz");
    expect(badEscape.status).toBe(400);
    expect(errorOf(badEscape)).toMatchObject({ code: "BadRequest" });
  });

  test("is 405 with the methods that there are", async () => {
    const { call } = await openTestApi();
    const cases: [string, string, string][] = [
      ["DELETE", "/api/v1/clusters", "GET, HEAD, POST"],
      ["POST", "/api/v1/clusters/a", "GET, HEAD, PUT, PATCH, DELETE"],
      ["PATCH", "/api/v1/clusters/a/status", "GET, HEAD, PUT"],
      ["OPTIONS", "/api/v1/clusters", "GET, HEAD, POST"],
      ["PROPFIND", "/api/v1/clusters", "GET, HEAD, POST"],
      ["TRACE", "/api/v1/clusters", "GET, HEAD, POST"],
    ];
    for (const [method, address, allow] of cases) {
      const answer = await call(method, address);
      expect([method, answer.status, answer.headers["allow"]]).toEqual([method, 405, allow]);
      expect(errorOf(answer)).toMatchObject({ code: "MethodNotSupported" });
    }
  });

  test("is 414 when its address is too long", async () => {
    const { call } = await openTestApi();
    const answer = await call("GET", `/api/v1/clusters?labelSelector=${"a".repeat(40_000)}`);
    expect(answer.status).toBe(414);
    expect(errorOf(answer)).toMatchObject({ code: "AddressTooLong" });
    const within = await call("GET", `/api/v1/clusters?fieldSelector=spec.region=${"%20".repeat(4_000)}x`);
    expect(within.status).toBe(200);
  });
});

describe("What goes wrong in the server", () => {
  test("is logged once with the request id, and not told", async () => {
    const { call, store, log } = await openTestApi();
    vi.spyOn(store.objects, "getJson").mockRejectedValue(new TypeError("password is hunter2"));
    const answer = await call("GET", "/api/v1/clusters/a", { headers: { "x-request-id": "find-me" } });
    expect(answer.status).toBe(500);
    expect(errorOf(answer)).toMatchObject({ code: "Internal", requestId: "find-me" });
    expect(answer.text).not.toContain("hunter2");
    const lines = log.filter((line) => line.includes("find-me"));
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({
      level: "error",
      method: "GET",
      path: "/api/v1/clusters/a",
    });
  });

  test.each(["DecryptionFailed", "Internal", "MigrationFailed"] as const)(
    "%s is not told either",
    async (code) => {
      const { call, store } = await openTestApi();
      vi.spyOn(store.objects, "create").mockRejectedValue(new BowlineError(code, "the inner workings"));
      const answer = await call("POST", "/api/v1/clusters", { body: bodyOf("a", {}) });
      expect(answer.status).toBe(500);
      expect(answer.text).not.toContain("inner workings");
    },
  );

  test("is 503 with Retry-After while the database cannot be reached", async () => {
    const { call, store, log } = await openTestApi();
    await store.close();
    for (const [method, address] of [
      ["GET", "/api/v1/clusters"],
      ["GET", "/api/v1/clusters/a"],
      ["POST", "/api/v1/clusters"],
      ["DELETE", "/api/v1/clusters/a"],
    ] as const) {
      const answer = await call(method, address, method === "POST" ? { body: bodyOf("a", {}) } : {});
      expect(answer.status).toBe(503);
      expect(answer.headers["retry-after"]).toMatch(/^[0-9]+$/u);
      expect(errorOf(answer)).toMatchObject({ code: "DatabaseUnavailable" });
    }
    expect(log).toEqual([]);
  });

  test("a client that goes away is nobody's fault", async () => {
    const { app, log, store, audited } = await openTestApi();
    const { port, hostname } = new URL(await app.listen({ port: 0, host: "127.0.0.1" }));
    const closed = new Promise<void>((resolve) => {
      app.server.once("connection", (socket) => void socket.once("close", () => resolve()));
    });
    const socket = connect(Number(port), hostname);
    socket.write(
      "POST /api/v1/clusters HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer operator\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{",
      () => setImmediate(() => socket.resetAndDestroy()),
    );
    await closed;
    expect(await audited()).toEqual([]);
    expect(log).toEqual([]);
    expect(await store.objects.get(Cluster, "a")).toBeUndefined();
  });
});

/** Sends text over a connection, and resolves to everything that comes back until it is closed. */
async function exchange(port: number, host: string, parts: readonly string[]): Promise<string> {
  const socket = connect(port, host);
  socket.setEncoding("utf8");
  socket.write(parts.join(""));
  let received = "";
  for await (const chunk of socket) received += String(chunk);
  return received;
}
