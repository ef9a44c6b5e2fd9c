import type { AuditRecord } from "@bowline/api";
import { sendJson, TestServer } from "@bowline/client/testing";
import { ManualClock } from "@bowline/core/testing";
import { afterEach, beforeEach, expect, test } from "vitest";

import { TestHome } from "../testing/test-home.ts";
import { auditTable } from "./audit.ts";

let home: TestHome;
let server: TestServer;
let environment: Record<string, string>;

/** 1,500 records, in pages of what is asked for. */
beforeEach(async () => {
  home = await TestHome.create();
  server = await TestServer.start(({ url }, response) => {
    const query = new URL(url, "http://x").searchParams;
    const start = Number(query.get("cursor") ?? "0");
    const end = Math.min(start + Number(query.get("limit")), 1500);
    const items = Array.from({ length: end - start }, (_, index) => ({
      id: String(start + index),
      at: "2026-01-01T00:00:00.000Z",
      actor: { user: "editor", token: "ci", address: "10.0.0.1" },
      verb: "delete",
      outcome: "denied",
      httpStatus: 403,
      kind: "Cluster",
      name: "prod",
      message: "Not\u001B[31m allowed.",
      requestId: `req-${start + index}`,
    }));
    sendJson(response, 200, {
      metadata: { total: 1500, ...(end < 1500 ? { cursor: String(end) } : {}) },
      items,
    });
  });
  environment = { BOWLINE_SERVER: server.url };
});

afterEach(async () => {
  await server[Symbol.asyncDispose]();
  await home[Symbol.asyncDispose]();
});

test("shows the newest as a table, and says how many there are", async () => {
  const { out, error } = await home.run(["audit", "--limit", "1"], { environment });
  expect(out).toBe(
    "TIME                       USER     VERB     OBJECT         REQUEST   OUTCOME   MESSAGE\n" +
      String.raw`2026-01-01T00:00:00.000Z   editor   delete   cluster/prod             denied    Not\u001b[31m allowed.` +
      "\n",
  );
  expect(error).toBe("Showing 1 of 1500 records; --limit shows more.\n");
});

test("asks for as many pages as it takes, and no more than it was told", async () => {
  const { out } = await home.run(["audit", "--limit", "1200", "-o", "json"], { environment });
  expect(JSON.parse(out)).toHaveLength(1200);
  expect(server.requests.map(({ url }) => url)).toEqual([
    "/api/v1/audit?limit=1000",
    "/api/v1/audit?cursor=1000&limit=200",
  ]);
});

test("asks by what it was told, with the kind under its own name", async () => {
  const clock = new ManualClock(Date.parse("2026-01-08T00:00:00Z"));
  const flags = [
    "--user",
    "editor",
    "--verb",
    "proxy",
    "--outcome",
    "failed",
    "--kind",
    "cl",
    "--name",
    "prod",
  ];
  await home.run(["audit", ...flags, "--since", "7d"], { environment, clock });
  expect(server.requests[0]?.url).toBe(
    "/api/v1/audit?user=editor&verb=proxy&outcome=failed&name=prod&kind=Cluster&since=2026-01-01T00%3A00%3A00.000Z&limit=50",
  );
});

test("asks for requests to clusters by where they went, by what allowed them and by their id", async () => {
  const flags = ["--cluster", "prod", "-n", "shop", "--resource", "pods", "--object", "web-1"];
  await home.run(["audit", ...flags, "--grant", "dev", "--request-id", "r-1"], { environment });
  expect(server.requests[0]?.url).toBe(
    "/api/v1/audit?cluster=prod&namespace=shop&resource=pods&object=web-1&grant=dev&requestId=r-1&limit=50",
  );
});

test.each([
  [["--kind", "clutser"], "did you mean «cluster»"],
  [["--limit", "0"], "whole number"],
  [["--verb", "steal"], "Allowed choices are create"],
  [["--outcome", "good"], "Allowed choices are allowed, denied, failed"],
  [["--since", "yesterday"], "neither a duration"],
  [["--output", "xml"], "Allowed choices are"],
])("%j is refused before anybody is asked", async (flags, message) => {
  const { code, error } = await home.run(["audit", ...flags], { environment });
  expect(code).toBe(2);
  expect(error).toContain(message);
  expect(server.requests).toEqual([]);
});

const record: AuditRecord = {
  id: "019b7a3c-5e2a-7c1e-9b6d-3f1c5a9e2d40",
  at: "2026-01-02T09:30:00.000Z",
  actor: { user: "editor" },
  verb: "proxy",
  outcome: "allowed",
  httpStatus: 200,
  kind: "Cluster",
  name: "edge",
  requestId: "r",
};

function cellsOf(change: Partial<AuditRecord>): string[] {
  const line = auditTable([{ ...record, ...change }], {
    wide: false,
    headers: false,
    paint: (_, text) => text,
  });
  return line.trim().split(/ {3,}/u).slice(3);
}

test.each([
  ["a list", { verb: "list", resource: "pods", namespace: "shop" }, "list pods in shop"],
  ["a path", { verb: "get", path: "/version" }, "get /version"],
  [
    "an upgraded connection",
    { verb: "create", resource: "pods", name: "a", subresource: "exec", namespace: "b", phase: "start" },
    "create pods/a/exec in b (start)",
  ],
  ["many reads alike", { verb: "get", resource: "nodes", name: "a", requests: 12 }, "get nodes/a (12 times)"],
] as const)("says what a cluster was asked: %s", (_, proxy, request) => {
  expect(cellsOf({ proxy })).toEqual(["cluster/edge", request, "allowed"]);
});

const proxy = { verb: "list", resource: "pods" };

test("says why it ended: the cluster's status, or what the server knows", () => {
  expect(cellsOf({ proxy, outcome: "failed", httpStatus: 404 }).slice(2)).toEqual([
    "failed",
    "The cluster answered with 404.",
  ]);
  expect(
    cellsOf({ proxy, outcome: "denied", httpStatus: 403, message: "No grant covers it." }).slice(2),
  ).toEqual(["denied", "No grant covers it."]);
  const message = "The client went away before the answer.";
  expect(cellsOf({ proxy, httpStatus: 499, message }).slice(2)).toEqual(["allowed", message]);
});
