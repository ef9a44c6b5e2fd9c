import { expect, test } from "vitest";

import { evictedMonitors, type MonitorUsage } from "./secret-usage.ts";

/** `shop/web` with its parts. */
function usage(id: string, parts: Record<string, number>): MonitorUsage {
  const [namespace = "", name = ""] = id.split("/");
  return {
    monitor: { kind: "ServiceMonitor", namespace, name },
    parts: new Map(Object.entries(parts)),
  };
}

const own = (id: string, bytes: number): MonitorUsage => usage(id, { [id]: bytes });

function namesOf(usages: readonly MonitorUsage[], budgetBytes: number): string[] {
  const here = evictedMonitors(usages, budgetBytes).map(({ namespace, name }) => `${namespace}/${name}`);
  const there = evictedMonitors(usages.toReversed(), budgetBytes).map(
    ({ namespace, name }) => `${namespace}/${name}`,
  );
  expect(there).toEqual(here);
  return here;
}

test("no monitor is evicted within the budget", () => {
  expect(namesOf([own("a/x", 5), own("b/x", 5)], 10)).toEqual([]);
  expect(namesOf([], 0)).toEqual([]);
});

test("the namespace that takes most loses its largest, and then another takes most", () => {
  const usages = [own("a/x", 1), own("a/y", 6), own("a/z", 3), own("b/x", 4), own("b/y", 4), own("c/x", 7)];
  expect(namesOf(usages, 20)).toEqual(["a/y"]);
  expect(namesOf(usages, 18)).toEqual(["a/y", "b/y"]);
  expect(namesOf(usages, 8)).toEqual(["a/y", "b/y", "c/x"]);
});

test("however much one namespace takes, those that take less keep everything", () => {
  const few = Array.from({ length: 5 }, (_, index) => own(`n${index}/web`, 10));
  const many = Array.from({ length: 1000 }, (_, index) => own(`greedy/${index}`, 10));
  const out = evictedMonitors([...many, ...few], 100);
  expect(out).toHaveLength(995);
  expect(new Set(out.map(({ namespace }) => namespace))).toEqual(new Set(["greedy"]));
});

test("a part that several have counts once, and is there as long as one of them is", () => {
  const shared = [usage("a/x", { ca: 10, x: 1 }), usage("a/y", { ca: 10, y: 2 }), own("b/x", 9)];
  expect(namesOf(shared, 22)).toEqual([]);
  expect(namesOf(shared, 21)).toEqual(["a/y"]);
  expect(namesOf(shared, 19)).toEqual(["a/y", "a/x"]);
});

test("without any budget, all that use some are evicted", () => {
  expect(namesOf([own("a/x", 1), own("b/x", 2), own("c/x", 0)], -5)).toEqual(["b/x", "a/x"]);
});
