import { kinds } from "@bowline/api";
import { expect, test } from "vitest";

import { inApplyOrder, inDeleteOrder } from "./manifest.ts";

const items = kinds.toReversed().map((kind) => ({ kind }));

test("what is referred to is applied first", () => {
  const order = inApplyOrder(items).map(({ kind }) => kind.kind);
  for (const kind of kinds) {
    for (const reference of kind.references.filter((each) => each.kind !== kind.kind)) {
      expect(order.indexOf(reference.kind)).toBeLessThan(order.indexOf(kind.kind));
    }
  }
  expect(order.slice(0, 3)).toEqual(["User", "GraphQuestion", "Credential"]);
});

test("and deleted last", () => {
  const order = inDeleteOrder(items).map(({ kind }) => kind.kind);
  expect(order.indexOf("Token")).toBeLessThan(order.indexOf("User"));
  expect(order.indexOf("WorkloadInstance")).toBeLessThan(order.indexOf("WorkloadDefinition"));
});

test("objects of one kind stay in the order given", () => {
  const [first] = kinds;
  if (first === undefined) throw new Error("There are kinds.");
  const named = ["c", "a", "b"].map((name) => ({ kind: first, name }));
  expect(inApplyOrder(named)).toEqual(named);
});
