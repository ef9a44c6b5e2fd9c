import { expect, test } from "vitest";

import { StoredFacts } from "./stored-facts.ts";
import { pod, toldGraph } from "./testing/told-graph.ts";

test("what objects say now is read page by page, each of which can be the first", async () => {
  const { store, clusterId, tell } = await toldGraph("east");
  await tell([pod("a", ["db"]), pod("b"), pod("c")]);
  await tell([pod("a", ["db", "tls"])]);
  const source = new StoredFacts(store);
  expect(await source.clusters()).toEqual([{ id: clusterId, name: "east" }]);
  expect(await source.heads()).toEqual(new Map([[clusterId, 4]]));
  const first = await source.current(clusterId, undefined, 2);
  expect(first.items).toEqual([pod("b"), pod("c")]);
  const second = await source.current(clusterId, first.next, 2);
  expect(second).toEqual({ items: [pod("a", ["db", "tls"])], next: undefined });
});

test("changes are told in order, with the end of objects", async () => {
  const { store, clusterId, tell } = await toldGraph("east");
  await tell([pod("a"), pod("b")]);
  await tell(["uid-of-a"]);
  const source = new StoredFacts(store);
  expect(await source.changes(clusterId, 0, 10)).toEqual([
    { change: 2, uid: "uid-of-b", facts: pod("b") },
    { change: 3, uid: "uid-of-a", facts: undefined },
  ]);
  expect(await source.changes(clusterId, 3, 10)).toEqual([]);
  expect(await source.facts(clusterId, "uid-of-b")).toEqual(pod("b"));
  expect(await source.facts(clusterId, "uid-of-a")).toBeUndefined();
});
