import { expect, test } from "vitest";

import { LruMap } from "./lru-map.ts";

test("forgets what was not used for the longest time, and tells", () => {
  const evicted: string[] = [];
  const map = new LruMap<string, string>(2, (value) => evicted.push(value));
  map.set("a", "A");
  map.set("b", "B");
  expect([map.get("a"), map.get("a")]).toEqual(["A", "A"]);
  map.set("c", "C");
  expect(evicted).toEqual(["B"]);
  expect([map.get("b"), map.get("a"), map.get("c")]).toEqual([undefined, "A", "C"]);
});

test("what was used last and then deleted is gone, and new when it comes back", () => {
  const map = new LruMap<string, number>(2);
  map.set("a", 1);
  map.delete("a");
  expect(map.get("a")).toBeUndefined();
  map.set("b", 2);
  map.set("a", 3);
  map.set("c", 4);
  expect([...map.values()]).toEqual([3, 4]);
});
