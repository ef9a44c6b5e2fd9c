import type { EventRecord } from "@bowline/api";
import { expect, test } from "vitest";

import { eventsPath, mergeEvents } from "./live-events.ts";

function event(id: string, minute: number, count = 1): EventRecord {
  return {
    id,
    type: "Normal",
    reason: "Started",
    message: "",
    regarding: { kind: "Pod", name: "web-1" },
    source: "kubernetes",
    count,
    firstSeenAt: "2026-01-02T09:00:00.000Z",
    lastSeenAt: `2026-01-02T10:${String(minute).padStart(2, "0")}:00.000Z`,
  };
}

test("events that were listed and those that came since are one list, the newest first", () => {
  const merged = mergeEvents([event("b", 2), event("a", 1)], [event("c", 3), event("a", 4, 2)], 10);
  expect([...merged.values()].map(({ id, count }) => [id, count])).toEqual([
    ["a", 2],
    ["c", 1],
    ["b", 1],
  ]);
});

test("a list that was read later than the watch told is not taken back", () => {
  const merged = mergeEvents([event("a", 5, 7)], [event("a", 4, 6)], 10);
  expect(merged.get("a")?.count).toBe(7);
});

test("no more are kept than asked for", () => {
  expect([...mergeEvents([event("a", 1), event("b", 2), event("c", 3)], [], 2).keys()]).toEqual(["c", "b"]);
});

test("the same filters are the same address, whatever their order", () => {
  expect(eventsPath({})).toBe("/api/v1/events");
  expect(eventsPath({ type: "Warning", cluster: "a&b" })).toBe("/api/v1/events?cluster=a%26b&type=Warning");
  expect(eventsPath({ cluster: "a&b", type: "Warning" })).toBe(
    eventsPath({ type: "Warning", cluster: "a&b" }),
  );
});
