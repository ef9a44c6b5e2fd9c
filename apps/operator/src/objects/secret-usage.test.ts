import { expect, test } from "vitest";

import { crowdedOut, type Taking } from "./secret-usage.ts";

/** `shop/web` with its parts. */
function taking(id: string, parts: Record<string, number>): Taking {
  const [namespace = "", name = ""] = id.split("/");
  return {
    monitor: { kind: "ServiceMonitor", namespace, name },
    parts: new Map(Object.entries(parts)),
  };
}

const own = (id: string, bytes: number): Taking => taking(id, { [id]: bytes });

function namesOf(takings: readonly Taking[], roomBytes: number): string[] {
  const here = crowdedOut(takings, roomBytes).map(({ namespace, name }) => `${namespace}/${name}`);
  const there = crowdedOut(takings.toReversed(), roomBytes).map(
    ({ namespace, name }) => `${namespace}/${name}`,
  );
  expect(there).toEqual(here);
  return here;
}

test("nobody goes while there is room", () => {
  expect(namesOf([own("a/x", 5), own("b/x", 5)], 10)).toEqual([]);
  expect(namesOf([], 0)).toEqual([]);
});

test("the namespace that takes most loses its largest, and then another takes most", () => {
  const takings = [own("a/x", 1), own("a/y", 6), own("a/z", 3), own("b/x", 4), own("b/y", 4), own("c/x", 7)];
  expect(namesOf(takings, 20)).toEqual(["a/y"]);
  expect(namesOf(takings, 18)).toEqual(["a/y", "b/y"]);
  expect(namesOf(takings, 8)).toEqual(["a/y", "b/y", "c/x"]);
});

test("however much one namespace takes, those that take less keep everything", () => {
  const few = Array.from({ length: 5 }, (_, index) => own(`n${index}/web`, 10));
  const many = Array.from({ length: 1000 }, (_, index) => own(`greedy/${index}`, 10));
  const out = crowdedOut([...many, ...few], 100);
  expect(out).toHaveLength(995);
  expect(new Set(out.map(({ namespace }) => namespace))).toEqual(new Set(["greedy"]));
});

test("a part that several have counts once, and is there as long as one of them is", () => {
  const shared = [taking("a/x", { ca: 10, x: 1 }), taking("a/y", { ca: 10, y: 2 }), own("b/x", 9)];
  expect(namesOf(shared, 22)).toEqual([]);
  expect(namesOf(shared, 21)).toEqual(["a/y"]);
  expect(namesOf(shared, 19)).toEqual(["a/y", "a/x"]);
});

test("where there is no room at all, all that take some go", () => {
  expect(namesOf([own("a/x", 1), own("b/x", 2), own("c/x", 0)], -5)).toEqual(["b/x", "a/x"]);
});
