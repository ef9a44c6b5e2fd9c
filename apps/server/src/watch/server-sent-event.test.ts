import type { LogItem } from "@bowline/store";
import { expect, test } from "vitest";

import { chunksOf } from "./server-sent-event.ts";
import type { WatchView } from "./watcher.ts";

interface Item extends LogItem {
  readonly text: string;
}

/** Sees everything but what is empty. */
const view: WatchView<Item> = {
  key: "all",
  eventOf: ({ text }) => (text === "" ? undefined : Buffer.from(text)),
  read: () => Promise.reject(new Error("not read here")),
};

function items(...texts: string[]): Item[] {
  return texts.map((text, index) => ({ revision: index + 1, kind: "Test", size: 0, text }));
}

test("events that belong together are one piece", () => {
  const [chunk, ...more] = chunksOf(view, items("a", "", "b"));
  expect(more).toEqual([]);
  expect(chunk).toMatchObject({ count: 2, lastRevision: 3 });
  expect(chunk?.bytes.toString()).toBe("ab");
  expect(chunksOf(view, items("", ""))).toEqual([]);
});

test("a piece is not larger than it has to be", () => {
  const large = "x".repeat(40_000);
  const chunks = chunksOf(view, items(large, large, "a", "y".repeat(100_000), "b"));
  expect(chunks.map(({ count, bytes }) => [count, bytes.length])).toEqual([
    [1, 40_000],
    [2, 40_001],
    [1, 100_000],
    [1, 1],
  ]);
});

test("who has some of it already is given the rest", () => {
  const [chunk] = chunksOf(view, items("a", "b", "c"));
  expect(chunk?.after(0)).toBe(chunk);
  expect(chunk?.after(1)?.bytes.toString()).toBe("bc");
  expect(chunk?.after(2)).toMatchObject({ count: 1, lastRevision: 3 });
  expect(chunk?.after(3)).toBeUndefined();
});
