import { describe, expect, test } from "vitest";

import { createValidator } from "../validate/validator.ts";
import { Condition, findCondition, setCondition } from "./condition.ts";

const ready: Condition = {
  type: "Ready",
  status: "False",
  reason: "Waiting",
  message: "The agent has not connected yet.",
  lastTransitionTime: "2026-01-31T12:00:00Z",
  observedGeneration: 1,
};
const other: Condition = { ...ready, type: "Provisioned" };

describe("setCondition", () => {
  test("adds a condition that was not there", () => {
    expect(setCondition([other], ready)).toEqual([other, ready]);
  });

  test("keeps the time of transition while the status stays", () => {
    const next = {
      ...ready,
      reason: "Stuck",
      lastTransitionTime: "2026-01-31T13:00:00Z",
      observedGeneration: 2,
    };
    expect(setCondition([ready, other], next)).toEqual([
      { ...next, lastTransitionTime: ready.lastTransitionTime },
      other,
    ]);
  });

  test("takes the new time when the status changes", () => {
    const next: Condition = { ...ready, status: "True", lastTransitionTime: "2026-01-31T13:00:00Z" };
    expect(setCondition([ready], next)).toEqual([next]);
  });

  test("cuts a message that would make the status invalid", () => {
    const [set] = setCondition([], { ...ready, message: "😀".repeat(3000) });
    expect(createValidator(Condition)(set)).toMatchObject({ ok: true });
    expect(set?.message).toMatch(/^😀+.?…$/u);
  });

  test("does not change what it was given", () => {
    const before = Object.freeze([Object.freeze({ ...ready })]);
    setCondition(before, { ...ready, status: "True" });
    expect(before[0]?.status).toBe("False");
  });
});

test("findCondition finds by type, also in a status that is not there", () => {
  expect(findCondition({ conditions: [other, ready] }, "Ready")).toBe(ready);
  expect(findCondition({ conditions: [] }, "Ready")).toBeUndefined();
  expect(findCondition(undefined, "Ready")).toBeUndefined();
});
