import { AuditRecord, createValidator, recordList } from "@bowline/api";
import { asRecord } from "@bowline/core";
import { ManualClock } from "@bowline/core/testing";
import { expect, test } from "vitest";

import type { NewAuditRecord, Store } from "@bowline/store";
import { openTestStore } from "@bowline/store/testing";
import { startRecordApi } from "../testing/record-api.ts";

const validateList = createValidator(recordList("A page.", AuditRecord));

function record(user: string, more: Partial<NewAuditRecord> = {}): NewAuditRecord {
  const requestId = `${user}-${more.verb ?? "login"}`;
  return { actor: { user }, verb: "login", outcome: "allowed", httpStatus: 200, requestId, ...more };
}

async function storeWithRecords(): Promise<Store> {
  const clock = new ManualClock(Date.UTC(2026, 0, 1));
  const store = await openTestStore({ type: "sqlite", file: ":memory:" }, { clock });
  await store.audit.append([record("editor")]);
  await clock.advance(60_000);
  await store.audit.append([record("viewer", { outcome: "denied", httpStatus: 403 })]);
  await clock.advance(60_000);
  await store.audit.append([record("editor", { verb: "create", kind: "Cluster", name: "a" })]);
  return store;
}

test("lists what was done, newest first, by every filter and page by page", async () => {
  const { get } = await startRecordApi(await storeWithRecords());
  const ids = async (query: string): Promise<string[]> => {
    const { status, body } = await get(`/api/v1/audit?${query}`);
    const list = validateList(body);
    if (!list.ok) throw new Error(`${status}: ${JSON.stringify(body)}`);
    expect(list.value.metadata).toEqual({ total: list.value.items.length });
    return list.value.items.map(({ requestId }) => requestId);
  };
  expect(await ids("")).toEqual(["editor-create", "viewer-login", "editor-login"]);
  expect(await ids("user=editor&verb=login")).toEqual(["editor-login"]);
  expect(await ids("outcome=denied")).toEqual(["viewer-login"]);
  expect(await ids("kind=Cluster&name=a")).toEqual(["editor-create"]);
  expect(await ids("since=2026-01-01T00:01:00Z")).toEqual(["editor-create", "viewer-login"]);
  expect(await ids("since=2026-01-01T01:01:00%2B01:00&until=2026-01-01T00:02:00Z")).toEqual(["viewer-login"]);

  const first = await get("/api/v1/audit?limit=2");
  expect(first.body).toMatchObject({ metadata: { total: 3, cursor: expect.any(String) } });
  const { cursor } = asRecord(asRecord(first.body)["metadata"]);
  const second = await get(`/api/v1/audit?limit=2&cursor=${String(cursor)}`);
  expect(second.body).toMatchObject({ metadata: { total: 3 }, items: [{ requestId: "editor-login" }] });
});

test("finds requests to clusters by where they went and by what allowed them", async () => {
  const store = await storeWithRecords();
  const proxy = { verb: "get", resource: "pods", namespace: "shop", name: "web-1", grant: "developers" };
  await store.audit.append([
    record("editor", { verb: "proxy", kind: "Cluster", name: "prod", proxy, requestId: "r1" }),
  ]);
  const { get } = await startRecordApi(store);
  for (const query of [
    "cluster=prod",
    "namespace=shop",
    "resource=pods",
    "object=web-1",
    "grant=developers",
    "requestId=r1",
    "cluster=prod&namespace=shop&resource=pods&object=web-1&user=editor",
  ]) {
    expect([query, (await get(`/api/v1/audit?${query}`)).body]).toMatchObject([
      query,
      { metadata: { total: 1 }, items: [{ requestId: "r1", proxy }] },
    ]);
  }
  expect((await get("/api/v1/audit?cluster=prod&namespace=other")).body).toMatchObject({ items: [] });
});

test("shows who is no admin what they did themselves, and nothing of others", async () => {
  const { get } = await startRecordApi(await storeWithRecords());
  for (const query of ["", "?user=viewer"]) {
    expect((await get(`/api/v1/audit${query}`, "viewer")).body).toMatchObject({
      metadata: { total: 1 },
      items: [{ actor: { user: "viewer" }, requestId: "viewer-login" }],
    });
  }
  expect((await get("/api/v1/audit?kind=Cluster&name=a", "viewer")).body).toMatchObject({ items: [] });
  expect((await get("/api/v1/audit", "editor")).body).toMatchObject({ metadata: { total: 2 } });
  expect(await get("/api/v1/audit?user=editor", "viewer")).toMatchObject({
    status: 403,
    body: {
      error: { code: "Forbidden", message: expect.stringContaining("You may not read what others did") },
    },
  });
});

test.each([
  ["verb=steal", "The parameter verb must be one of"],
  ["since=yesterday", "The parameter since must be"],
  ["limit=0", "The parameter limit"],
  ["usr=editor", "did you mean «user»"],
  ["user=a&user=b", "more than once"],
  ["cursor=x", "The cursor"],
])("refuses %s", async (query, message) => {
  const { get } = await startRecordApi(await storeWithRecords());
  const { status, body } = await get(`/api/v1/audit?${query}`);
  expect(status).toBe(400);
  expect(body).toMatchObject({
    error: { code: "InvalidArgument", message: expect.stringContaining(message) },
  });
});
