import { describe, expect, test } from "vitest";

import type { QueuedItem } from "./report-item.ts";
import { ReportQueue, type Taken } from "./report-queue.ts";

const item = (key: string, message = "", bytes = 10): QueuedItem => ({
  key,
  bytes,
  item: { item: { case: "event", value: { uid: key, message } } },
});

const all = { maxItems: 100, maxBytes: 1_000_000 };

/** `key:message` of each, or `complete`. */
function shown(taken: Taken | undefined): string[] {
  if (taken === undefined) return [];
  if (taken.kind === "complete") return ["complete"];
  return taken.items.map(({ key, item: { item: each } }) =>
    each?.case === "event" ? `${key}:${each.value.message ?? ""}` : key,
  );
}

describe("the queue of what is reported", () => {
  test("has the latest of each, in the order in which they first came", () => {
    const queue = new ReportQueue();
    for (let count = 0; count <= 1000; count++) queue.put(item("a", String(count)));
    queue.put(item("b"));
    queue.put(item("a", "last"));
    expect([queue.size, queue.bytes]).toEqual([2, 20]);
    expect(shown(queue.take(all))).toEqual(["a:last", "b:"]);
    expect([queue.size, queue.bytes]).toEqual([0, 0]);
  });

  test("gives out so many items or bytes at once, and at least one", () => {
    const queue = new ReportQueue();
    for (const key of ["a", "b", "c", "d"]) queue.put(item(key));
    expect(shown(queue.take({ maxItems: 1, maxBytes: 1000 }))).toEqual(["a:"]);
    expect(shown(queue.take({ maxItems: 9, maxBytes: 25 }))).toEqual(["b:", "c:"]);
    expect(shown(queue.take({ maxItems: 9, maxBytes: 1 }))).toEqual(["d:"]);
  });

  test("says that everything was sent after all that came before it", () => {
    const queue = new ReportQueue();
    queue.put(item("a"));
    queue.putComplete();
    queue.put(item("b"));
    queue.put(item("a", "later"));
    const order = [queue.take(all), queue.take(all), queue.take(all), queue.take(all)].map(shown);
    expect(order).toEqual([["a:later"], ["complete"], ["b:"], []]);
  });

  test("refuses what it has no room for, keeps nothing older of it, and tells when there is room", () => {
    const queue = new ReportQueue({ maxItems: 100, maxBytes: 100 });
    let told = 0;
    queue.onRoom = () => (told += 1);
    for (let count = 0; count < 9; count++) expect(queue.put(item(`k${count}`))).toBe(true);
    expect(queue.put(item("k0", "larger", 50))).toBe(false);
    expect([queue.hasRoom, queue.size, queue.bytes]).toEqual([false, 8, 80]);
    queue.putAlways(item("gone"));
    queue.take({ maxItems: 3, maxBytes: 1000 });
    expect([queue.hasRoom, told]).toEqual([false, 0]);
    queue.take({ maxItems: 1, maxBytes: 1000 });
    expect([queue.hasRoom, told]).toEqual([true, 1]);
  });

  test("takes back what was not stored, but nothing of which there is something later", () => {
    const queue = new ReportQueue();
    for (const key of ["a", "b", "c"]) queue.put(item(key, "first"));
    const taken = [queue.take({ maxItems: 2, maxBytes: 1000 }), queue.take(all)].filter(
      (each) => each !== undefined,
    );
    queue.put(item("d"));
    queue.put(item("b", "later"));
    queue.giveBack(taken);
    expect(queue.bytes).toBe(40);
    expect(shown(queue.take(all))).toEqual(["a:first", "c:first", "d:", "b:later"]);
    expect(queue.bytes).toBe(0);
  });
});
