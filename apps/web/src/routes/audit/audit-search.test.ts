import type { AuditRecord } from "@bowline/api";
import { expect, test } from "vitest";

import { auditPath, readAuditSearch, sameUserAround, withFilter } from "./audit-search.ts";
import { foldRecords, timesOf } from "./fold-records.ts";

const record: AuditRecord = {
  id: "1",
  at: "2026-01-01T12:00:00.000Z",
  actor: { user: "editor" },
  verb: "proxy",
  outcome: "allowed",
  httpStatus: 200,
  kind: "Cluster",
  name: "prod",
  requestId: "r1",
  proxy: { verb: "list", resource: "pods", namespace: "shop", answerBytes: 10, durationMs: 3 },
};

test("an address keeps filters, and nothing that is none", () => {
  expect(readAuditSearch({ cluster: "prod", object: 42, verb: "", other: "x", user: ["a"] })).toEqual({
    cluster: "prod",
    object: "42",
  });
});

test("asks the server for what the address says, but not for the row that is open", () => {
  expect(auditPath({ cluster: "prod", requestId: "a b", cursor: "c", open: "1" }, 100)).toBe(
    "/api/v1/audit?cluster=prod&requestId=a+b&cursor=c&limit=100",
  );
});

test("another filter begins with the first page again", () => {
  const search = { cluster: "prod", cursor: "c", open: "1" };
  expect(withFilter(search, "user", "editor")).toEqual({ cluster: "prod", user: "editor" });
  expect(withFilter(search, "cluster", undefined)).toEqual({});
  expect(withFilter(search, "cluster", "edge")).toEqual({ cluster: "edge" });
});

test("finds what the same user did five minutes before and after", () => {
  expect(sameUserAround(record)).toEqual({
    user: "editor",
    since: "2026-01-01T11:55:00.000Z",
    until: "2026-01-01T12:05:00.000Z",
  });
  expect(sameUserAround({ ...record, actor: {} })).toBeUndefined();
});

test("folds what is done again within a minute, whatever its id and amounts, and whatever was in between", () => {
  const again = { ...record, id: "2", at: "2026-01-01T11:59:10.000Z", requestId: "r2" };
  const proxy = { verb: "list", resource: "pods", namespace: "shop", answerBytes: 99, requests: 5 };
  const larger = { ...again, id: "3", at: "2026-01-01T11:58:30.000Z", proxy };
  const other = { ...record, id: "4", actor: { user: "viewer" } };
  const before = { ...record, id: "5", at: "2026-01-01T11:57:00.000Z" };
  const folds = foldRecords([record, other, again, larger, before]);
  expect(folds.map(({ records }) => records.map(({ id }) => id).join(""))).toEqual(["123", "4", "5"]);
  expect(folds.map(timesOf)).toEqual([7, 1, 1]);
  expect(folds[0]?.latest).toBe(record);
});

test("what the server has counted belongs to what it counted", () => {
  const denied: AuditRecord = { ...record, outcome: "denied", message: "No.", proxy: { verb: "get" } };
  const repeats = { ...denied, message: "No. (12 more times)" };
  expect(foldRecords([repeats, denied])).toHaveLength(1);
  expect(foldRecords([{ ...denied, message: "Never." }, denied])).toHaveLength(2);
});
