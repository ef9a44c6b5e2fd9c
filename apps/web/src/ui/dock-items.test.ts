import { expect, test } from "vitest";

import { DockItems, type DockItem } from "./dock-items.ts";

const item = (id: string): DockItem => ({ id, title: id, content: null });

function opened(...ids: string[]): DockItems {
  const dock = new DockItems();
  for (const id of ids) dock.open(item(id));
  return dock;
}

test("what is opened is in front, and is not opened twice", () => {
  const dock = opened("a", "b", "a");
  expect(dock.snapshot).toMatchObject({ items: [{ id: "a" }, { id: "b" }], front: "a" });
});

test.each([
  ["b", "a", "a"],
  ["a", "a", "b"],
  ["c", "c", "b"],
])("when %s is closed while %s is in front, %s is", (closed, front, next) => {
  const dock = opened("a", "b", "c");
  dock.show(front);
  dock.close(closed);
  expect(dock.snapshot.front).toBe(next);
  expect(dock.snapshot.items.map(({ id }) => id)).not.toContain(closed);
});

test("the last one that is closed leaves nothing in front", () => {
  const dock = opened("a");
  dock.close("a");
  expect(dock.snapshot).toEqual({ items: [], front: undefined, isFolded: false });
});

test("a dock that is folded unfolds for what is opened", () => {
  const dock = opened("a");
  dock.fold(true);
  dock.open(item("b"));
  expect(dock.snapshot).toMatchObject({ front: "b", isFolded: false });
});

test("whoever listens is told", () => {
  const dock = new DockItems();
  let told = 0;
  const stop = dock.subscribe(() => (told += 1));
  dock.open(item("a"));
  stop();
  dock.clear();
  expect(told).toBe(1);
});
