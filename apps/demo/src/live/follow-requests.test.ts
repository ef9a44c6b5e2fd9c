import type { AuditRecord } from "@bowline/api";
import type { Client } from "@bowline/client";
import { ManualClock } from "@bowline/core/testing";
import { expect, test } from "vitest";

import { sampleState } from "../testing/sample-state.ts";
import { Board } from "./demo-state.ts";
import { followRequests, shownRequest } from "./follow-requests.ts";

/** A client whose audit log is this list, the latest first, in pages of 200. */
function clientOf(log: readonly AuditRecord[]): Pick<Client, "listAudit"> {
  const listAudit: Client["listAudit"] = async ({ cursor = "0", limit = 200 } = {}) => {
    const next = Number(cursor) + limit;
    return {
      metadata: { total: log.length, ...(next < log.length ? { cursor: String(next) } : {}) },
      items: log.slice(Number(cursor), next),
    };
  };
  return { listAudit };
}

function record(id: string, change: Partial<AuditRecord> = {}): AuditRecord {
  return {
    id,
    at: "2026-01-02T09:30:00.000Z",
    actor: { user: "admin" },
    verb: "delete",
    outcome: "allowed",
    httpStatus: 200,
    requestId: id,
    ...change,
  };
}

test("every request is shown once, the demo's own and those from before are not", async () => {
  const log = [
    record("2"),
    record("own", { actor: { user: "demo-screen" } }),
    record("before", { at: "2026-01-01T00:00:00.000Z" }),
    record("1"),
  ];
  const stop = new AbortController();
  const clock = new ManualClock();
  const board = new Board(sampleState());
  const following = followRequests({
    client: clientOf(log),
    board,
    clock,
    signal: stop.signal,
    ownUser: "demo-screen",
    sinceMs: Date.UTC(2026, 0, 2),
  });
  following.catch(() => {});
  const shown = (): string[] => board.state.requests.map(({ id }) => id);
  await clock.advance(0);
  expect(shown()).toEqual(["2", "1"]);
  await clock.advance(500);
  expect(shown()).toEqual(["2", "1"]);
  // More than a page between two looks.
  log.unshift(
    ...Array.from({ length: 150 }, (_, index) => record(`n${index}`, { actor: { user: "demo-screen" } })),
  );
  log.unshift(record("4"), ...Array.from({ length: 60 }, (_, index) => record(`m${index}`)));
  await clock.advance(500);
  expect(shown()).toHaveLength(63);
  expect(shown()[0]).toBe("4");
  stop.abort();
  await expect(following).rejects.toMatchObject({ name: "AbortError" });
});

const audited: AuditRecord = {
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

test.each([
  [{ verb: "list", resource: "pods" }, "pods"],
  [{ verb: "list", resource: "pods", namespace: "shop" }, "pods in shop"],
  [{ verb: "get", resource: "pods", name: "a", subresource: "log", namespace: "b" }, "pods/a/log in b"],
  [{ verb: "get", path: "/version" }, "/version"],
  [{ verb: "get", path: "/\u001B[2J\u202E" }, "/?[2J?"],
])("%j of a cluster is %s", (proxy, what) => {
  expect(shownRequest({ ...audited, proxy })).toMatchObject({
    who: "editor",
    cluster: "edge",
    verb: proxy.verb,
    what,
  });
});

test("what the server itself did is told by its object", () => {
  expect(shownRequest({ ...audited, verb: "delete", kind: "User", name: "a" })).toMatchObject({
    cluster: "",
    verb: "delete",
    what: "user/a",
    durationMs: undefined,
    count: 1,
  });
  expect(shownRequest({ ...audited, verb: "join", actor: {} })).toMatchObject({
    who: "agent",
    cluster: "edge",
  });
});
