import { expect, test } from "vitest";

import { parametersOf, readAskSearch } from "./ask-search.ts";

test("a question is read from an address as it was written, and nothing else is", () => {
  const search = {
    q: "who-can",
    verb: "get",
    resource: "secrets",
    namespace: "shop",
    at: "2026-01-01T00:00:00Z",
  };
  expect(readAskSearch({ ...search, limit: 5, __proto__: "x", onload: "y" })).toEqual(search);
  expect(readAskSearch({ q: "drop-table", name: 7, node: {}, from: "" })).toEqual({ name: "7" });
  expect(readAskSearch({ node: "x".repeat(2_000) })).toEqual({});
});

test("a question gets its own parameters", () => {
  const search = readAskSearch({ q: "uses", node: "Secret/shop/db", verb: "get", cluster: "edge" });
  expect(parametersOf(search, ["node", "cluster", "at", "limit"])).toEqual({
    node: "Secret/shop/db",
    cluster: "edge",
  });
});
