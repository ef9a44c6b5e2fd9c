import { describe, expect, test } from "vitest";

import {
  findCondition,
  removeCondition,
  setCondition,
  summarize,
  type Condition,
  type ConditionUpdate,
} from "./conditions.ts";

const startMs = Date.UTC(2026, 0, 1);
const laterMs = startMs + 60_000;
const start = "2026-01-01T00:00:00.000Z";
const later = "2026-01-01T00:01:00.000Z";

function update(
  type: string,
  status: Condition["status"],
  rest: Partial<ConditionUpdate> = {},
): ConditionUpdate {
  return { type, status, reason: "Because", message: "It is so.", observedGeneration: 1, ...rest };
}

function conditions(...updates: ConditionUpdate[]): readonly Condition[] {
  return updates.reduce<readonly Condition[]>((all, each) => setCondition(all, each, startMs), []);
}

describe("setCondition", () => {
  test("adds at the end, and replaces in place", () => {
    const both = conditions(update("A", "True"), update("B", "True"));
    const changed = setCondition(both, update("A", "False"), laterMs);
    expect(changed.map(({ type, status }) => [type, status])).toEqual([
      ["A", "False"],
      ["B", "True"],
    ]);
    expect(both[0]?.status).toBe("True");
  });

  test("the time of transition changes with the status, and with nothing else", () => {
    const before = conditions(update("A", "True"));
    const same = setCondition(
      before,
      update("A", "True", { message: "Other.", observedGeneration: 2 }),
      laterMs,
    );
    const other = setCondition(before, update("A", "Unknown"), laterMs);
    expect([before, same, other].map((each) => each[0]?.lastTransitionTime)).toEqual([start, start, later]);
    expect(same[0]).toMatchObject({ message: "Other.", observedGeneration: 2 });
  });

  test("nothing new gives the very same list", () => {
    const before = conditions(update("A", "True"));
    expect(setCondition(before, update("A", "True"), laterMs)).toBe(before);
  });

  test("a reason is one word in PascalCase", () => {
    expect(() => setCondition([], update("A", "True", { reason: "not so" }), startMs)).toThrow(/PascalCase/);
  });

  test("a message of any length is cut to what can be stored, never inside a character", () => {
    const [condition] = setCondition([], update("A", "True", { message: "😀".repeat(5000) }), startMs);
    expect(condition?.message.length).toBeLessThanOrEqual(4096);
    expect(condition?.message.isWellFormed()).toBe(true);
    expect(condition?.message.endsWith("…")).toBe(true);
  });
});

test("conditions can be asked for and removed", () => {
  const all = conditions(update("A", "True"), update("B", "False"), update("C", "Unknown"));
  expect(["A", "B", "C", "D"].map((type) => findCondition(all, type)?.status)).toEqual([
    "True",
    "False",
    "Unknown",
    undefined,
  ]);
  expect(findCondition(removeCondition(all, "B"), "B")).toBeUndefined();
  expect(removeCondition(all, "D")).toBe(all);
});

describe("summarize", () => {
  const rule = { positive: ["Provisioned", "AgentConnected"] };
  const good = [update("Provisioned", "True"), update("AgentConnected", "True")];
  const ready = (all: readonly Condition[], generation = 1): Condition | undefined =>
    findCondition(summarize(all, rule, { generation, nowMs: startMs }), "Ready");

  test("ready when all that has to be true is", () => {
    expect(ready(conditions(...good))).toMatchObject({
      status: "True",
      reason: "Ready",
      observedGeneration: 1,
    });
  });

  test("what is false says why, the most important first", () => {
    const all = conditions(
      update("AgentConnected", "False", { reason: "Offline" }),
      update("Provisioned", "False", { reason: "QuotaExceeded", message: "No room." }),
    );
    expect(ready(all)).toMatchObject({ status: "False", reason: "QuotaExceeded", message: "No room." });
  });

  test("stalled goes before everything, also before work that goes on", () => {
    const stalled = update("Stalled", "True", { reason: "UnknownProvider" });
    const working = update("Reconciling", "True", { reason: "Creating" });
    expect(ready(conditions(...good, working, stalled))).toMatchObject({
      status: "False",
      reason: "UnknownProvider",
    });
    expect(ready(conditions(...good, working))).toMatchObject({ status: "Unknown", reason: "Creating" });
  });

  test.each([
    ["missing", [update("Provisioned", "True")], "Progressing"],
    ["unknown", [...good.slice(0, 1), update("AgentConnected", "Unknown", { reason: "Asking" })], "Asking"],
    ["nothing at all", [], "Progressing"],
  ])("%s is unknown", (_how, updates, reason) => {
    expect(ready(conditions(...updates))).toMatchObject({ status: "Unknown", reason });
  });

  test("what was found out about an older generation says nothing about this one", () => {
    const all = conditions(...good, update("Stalled", "True"));
    expect(ready(all, 2)).toMatchObject({ status: "Unknown", reason: "Progressing", observedGeneration: 2 });
  });

  test("nothing new gives the very same list", () => {
    const once = summarize(conditions(...good), rule, { generation: 1, nowMs: startMs });
    expect(summarize(once, rule, { generation: 1, nowMs: laterMs })).toBe(once);
  });
});
