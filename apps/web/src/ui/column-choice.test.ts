import { afterEach, beforeEach, expect, test, vi } from "vitest";

import {
  columnChoice,
  isChoosable,
  isShown,
  readChoices,
  setColumnChoice,
  withColumn,
} from "./column-choice.ts";

const [name, ready, ip, edge] = [
  { header: "Name" },
  { header: "Ready" },
  { header: "IP", isExtra: true },
  { header: "edge", isFixed: true },
];
const columns = [name, ready, ip, edge];
const none = { hidden: [], shown: [] };
const headers = (choice: { hidden: readonly string[]; shown: readonly string[] }): string[] =>
  columns.filter((column) => isShown(columns, column, choice)).map(({ header }) => header);

let kept: Map<string, string>;
beforeEach(() => {
  kept = new Map();
  vi.stubGlobal("localStorage", {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
});

test("columns are shown and hidden one by one; the first, and those that are none of the kind's, stay", () => {
  expect(headers(none)).toEqual(["Name", "Ready", "edge"]);
  const hidden = withColumn(none, ready, false);
  expect(headers(hidden)).toEqual(["Name", "edge"]);
  expect(headers(withColumn(hidden, ip, true))).toEqual(["Name", "IP", "edge"]);
  expect(columns.filter((column) => isChoosable(columns, column))).toEqual([ready, ip]);
  expect(headers({ hidden: ["Name", "edge"], shown: [] })).toEqual(["Name", "Ready", "edge"]);
});

test("what a kind does by itself is not written down", () => {
  expect(withColumn(withColumn(none, ready, false), ready, true)).toEqual(none);
  expect(withColumn(withColumn(none, ip, true), ip, false)).toEqual(none);
});

test("a choice is kept for its kind, by names of columns alone", () => {
  setColumnChoice("apps/deployments", { hidden: ["Ready"], shown: [] });
  expect(columnChoice("apps/deployments")).toEqual({ hidden: ["Ready"], shown: [] });
  expect(columnChoice("pods")).toEqual(none);
  expect([...kept.values()]).toEqual(['{"apps/deployments":{"hidden":["Ready"],"shown":[]}}']);
  setColumnChoice("apps/deployments", none);
  expect([...kept.values()]).toEqual(["{}"]);
});

test("kinds that were chosen for long ago make room", () => {
  for (let index = 0; index < 205; index += 1) setColumnChoice(`kind-${index}`, { hidden: ["A"], shown: [] });
  expect(columnChoice("kind-0")).toEqual(none);
  expect(columnChoice("kind-204")).toEqual({ hidden: ["A"], shown: [] });
  expect(readChoices(kept.get("bowline-columns") ?? null).size).toBe(200);
});

test.each([null, "", "{", "[]", "null", '{"pods":7}', '{"pods":{"hidden":[1,null],"shown":"IP"}}'])(
  "what is no choice counts as none: %s",
  (text) => {
    expect(readChoices(text).get("pods") ?? none).toEqual(none);
  },
);
