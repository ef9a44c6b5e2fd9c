import { expect, test } from "vitest";

import { namespaceNames } from "./namespaces.ts";

test("namespaces are found by their names, in order", () => {
  const items = ["shop", "default"].map((name) => ({ metadata: { name } }));
  expect(namespaceNames({ kind: "PartialObjectMetadataList", items })).toEqual(["default", "shop"]);
});

test("what no API server would list does not keep the others from being found", () => {
  const items = [null, 7, "text", [], {}, { metadata: null }, { metadata: { name: 12 } }];
  const names = ["", "..", "a/b", "\u202Eevil", "<b>", "x".repeat(64), "-a", "shop", "x".repeat(63)];
  const named = names.map((name) => ({ metadata: { name } }));
  expect(namespaceNames({ items: [...items, ...named] })).toEqual(["shop", "x".repeat(63)]);
  for (const answer of [undefined, null, "text", [], { items: "none" }]) {
    expect(namespaceNames(answer)).toEqual([]);
  }
});
