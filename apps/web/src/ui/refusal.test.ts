import { expect, test } from "vitest";

import { readFailure } from "../live/failure.ts";
import { refusalOf } from "./refusal.ts";

const forbidden = JSON.stringify({ kind: "Status", message: "pods is forbidden", reason: "Forbidden" });

test("a refusal of the cluster is told from one of a grant by the header that only the server sends", () => {
  expect(refusalOf(readFailure(403, forbidden)).by).toBe("cluster");
  expect(refusalOf(readFailure(403, forbidden, { "x-bowline-error-from": "server" })).by).toBe("grant");
});

test("a refusal of the API is about the role", () => {
  const failure = readFailure(403, JSON.stringify({ error: { code: "Forbidden", message: "You may not." } }));
  expect(refusalOf(failure).by).toBe("role");
});

test("an agent that is away says since when, and which request it was", () => {
  const causes = [
    { reason: "Hop", message: "agent" },
    { reason: "RequestId", message: "req-1" },
    { reason: "LastSeenAt", message: "2026-07-01T12:00:00Z" },
  ];
  const body = JSON.stringify({
    kind: "Status",
    message: "away",
    reason: "AgentOffline",
    details: { causes },
  });
  expect(readFailure(503, body, { "x-bowline-error-from": "agent" })).toMatchObject({
    code: "AgentOffline",
    hop: "agent",
    requestId: "req-1",
    lastSeenAt: "2026-07-01T12:00:00Z",
    isOfCluster: false,
  });
});

test("a header that is no hop, and causes that are none, are left out", () => {
  const body = JSON.stringify({
    kind: "Status",
    reason: "toString",
    details: { causes: ["x", { reason: 1 }] },
  });
  const failure = readFailure(503, body, { "x-bowline-error-from": "moon" });
  expect([failure.hop, failure.lastSeenAt, failure.code]).toEqual([
    undefined,
    undefined,
    "ServerUnavailable",
  ]);
});
