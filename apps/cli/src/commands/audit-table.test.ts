import type { AuditRecord } from "@bowline/api";
import { expect, test } from "vitest";

import { auditTable, parseSince } from "./audit.ts";

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

const nowMs = Date.parse("2026-01-08T12:00:00Z");

test.each([
  ["30m", "2026-01-08T11:30:00.000Z"],
  ["1h30m", "2026-01-08T10:30:00.000Z"],
  ["7d", "2026-01-01T12:00:00.000Z"],
  ["2026-01-02", "2026-01-02T00:00:00.000Z"],
  ["2026-01-02T09:30:00+01:00", "2026-01-02T08:30:00.000Z"],
])("%s is %s", (text, time) => {
  expect(parseSince(text, nowMs)).toBe(time);
});

test.each(["", "7", "yesterday", "-1h", "2026", "2026-13-01", "99999d", "2026-01-02T09:30:00"])(
  "«%s» is refused",
  (text) => {
    expect(() => parseSince(text, nowMs)).toThrow("neither a duration such as 30m");
  },
);
