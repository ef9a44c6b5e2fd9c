import type { AuditRecord } from "@bowline/api";
import { expect, test } from "vitest";

import { shownRequest } from "./shown-request.ts";

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

test.each([
  [{ verb: "list", resource: "pods" }, "pods"],
  [{ verb: "list", resource: "pods", namespace: "shop" }, "pods in shop"],
  [{ verb: "get", resource: "pods", name: "a", subresource: "log", namespace: "b" }, "pods/a/log in b"],
  [{ verb: "get", path: "/version" }, "/version"],
  [{ verb: "get", path: "/\u001B[2J\u202E" }, "/?[2J?"],
])("%j of a cluster is %s", (proxy, what) => {
  expect(shownRequest({ ...record, proxy })).toMatchObject({
    who: "editor",
    cluster: "edge",
    verb: proxy.verb,
    what,
  });
});

test("what the server itself did is told by its object", () => {
  expect(shownRequest({ ...record, verb: "delete", kind: "User", name: "a" })).toMatchObject({
    cluster: "",
    verb: "delete",
    what: "user/a",
    durationMs: undefined,
    count: 1,
  });
  expect(shownRequest({ ...record, verb: "join", actor: {} })).toMatchObject({
    who: "agent",
    cluster: "edge",
  });
});
