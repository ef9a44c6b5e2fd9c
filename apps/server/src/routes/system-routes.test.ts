import { Metrics, systemClock } from "@bowline/core";
import { Health } from "@bowline/program/health";
import { describe, expect, test } from "vitest";

import { openTestApi, type TestApi } from "../api/testing/api-harness.ts";
import { systemRoutes, type SystemRoutesOptions } from "./system-routes.ts";

async function openApi(
  options: Partial<SystemRoutesOptions> = {},
): Promise<TestApi & { readiness: Health; metrics: Metrics }> {
  const readiness = new Health({ clock: systemClock });
  const metrics = new Metrics({ version: "1.2.3", revision: "abc" });
  const plugins = [systemRoutes({ readiness, metrics, version: "1.2.3", ...options })];
  return { ...(await openTestApi({ metrics, plugins })), readiness, metrics };
}

const anybody = { as: null };

describe("probes", () => {
  test("say ok to anybody, and name every check when asked", async () => {
    const { call, readiness } = await openApi();
    readiness.add("database", () => {});
    for (const path of ["/livez", "/healthz", "/readyz"]) {
      const answer = await call("GET", path, anybody);
      expect(answer).toMatchObject({ status: 200, text: "ok\n" });
      expect(answer.headers).toMatchObject({
        "content-type": "text/plain; charset=utf-8",
        "cache-control": "no-store",
      });
    }
    expect((await call("GET", "/readyz?verbose", anybody)).text).toBe(
      "[+]database ok\nreadyz check passed\n",
    );
    expect((await call("GET", "/healthz?verbose", anybody)).text).toBe("healthz check passed\n");
    expect((await call("GET", "/livez?verbose", anybody)).text).toBe("livez check passed\n");
    expect((await call("GET", "/readyz?exclude=database", anybody)).status).toBe(400);
  });

  test("readiness fails with the reasons, while the process lives", async () => {
    const { call, readiness } = await openApi();
    readiness.add("database", () => {
      throw new Error("postgres://bowline:hunter2@db/bowline does not answer");
    });
    readiness.add("broker", () => {});
    const answer = await call("GET", "/readyz", anybody);
    expect(answer.status).toBe(503);
    expect(answer.text).toMatch(/^\[-\]database failed: .* does not answer\n\[\+\]broker ok\n/u);
    expect(answer.text).not.toContain("hunter2");
    expect((await call("GET", "/healthz", anybody)).status).toBe(200);
  });
});

describe("metrics", () => {
  test("need a token of any role", async () => {
    const { call } = await openApi();
    expect((await call("GET", "/metrics", anybody)).status).toBe(401);
    const answer = await call("GET", "/metrics", { as: "viewer" });
    expect(answer).toMatchObject({ status: 200 });
    expect(answer.headers["content-type"]).toContain("text/plain; version=0.0.4");
    expect(answer.text).toContain('bowline_build_info{version="1.2.3",revision="abc"} 1');
  });

  test("are shown to everybody when told to, and have the requests by route", async () => {
    const { call } = await openApi({ openMetrics: true });
    await call("GET", "/version", anybody);
    const { status, text } = await call("GET", "/metrics", anybody);
    expect(status).toBe(200);
    expect(text).toMatch(/^bowline_http_request_duration_seconds_count\{.*route="\/version".*\} 1$/mu);
  });
});

test("the version needs no token", async () => {
  const { call } = await openApi();
  expect(await call("GET", "/version", anybody)).toMatchObject({ status: 200, body: { version: "1.2.3" } });
});

test("the description of the API is sent once to whoever keeps it", async () => {
  const { call } = await openApi();
  const answer = await call("GET", "/openapi.json", anybody);
  expect(answer.status).toBe(200);
  expect(answer.body).toMatchObject({ openapi: "3.1.1", info: { version: "1.2.3" } });
  const { etag } = answer.headers;
  for (const known of [String(etag), `W/${String(etag)}`, `"x", ${String(etag)}`]) {
    const again = await call("GET", "/openapi.json", { as: null, headers: { "if-none-match": known } });
    expect(again).toMatchObject({ status: 304, text: "" });
  }
  const changed = await call("GET", "/openapi.json", { as: null, headers: { "if-none-match": '"x"' } });
  expect(changed.status).toBe(200);
});
