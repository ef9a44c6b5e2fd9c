import { describe, expect, test } from "vitest";

import { changedFields, mergedOver } from "./three-way.ts";

const base = { role: "viewer", groups: ["a"], more: { email: "a@example.com" } };

describe("fields that two people have changed", () => {
  test("are listed by their place, contested where both wrote something else", () => {
    const yours = { ...base, role: "editor", groups: ["a", "b"] };
    const theirs = { ...base, role: "admin", more: {} };
    expect(changedFields(base, yours, theirs)).toEqual([
      { path: "groups", base: ["a"], yours: ["a", "b"], theirs: ["a"], isContested: false },
      {
        path: "more.email",
        base: "a@example.com",
        yours: "a@example.com",
        theirs: undefined,
        isContested: false,
      },
      { path: "role", base: "viewer", yours: "editor", theirs: "admin", isContested: true },
    ]);
  });

  test("are not contested when both wrote the same, and none are listed when nobody wrote", () => {
    const both = { ...base, role: "admin" };
    expect(changedFields(base, both, { ...both })).toMatchObject([{ path: "role", isContested: false }]);
    expect(changedFields(base, { ...base }, { more: base.more, groups: ["a"], role: "viewer" })).toEqual([]);
  });

  test("are merged: theirs stays where you changed nothing, yours stands where you did", () => {
    const yours = { ...base, role: "editor", groups: ["b"] };
    const theirs = { role: "admin", groups: ["a"], more: { email: "b@example.com" }, disabled: true };
    expect(mergedOver(base, yours, theirs)).toEqual({
      role: "editor",
      groups: ["b"],
      more: { email: "b@example.com" },
      disabled: true,
    });
  });

  test("that you took away stay away, unless they are theirs", () => {
    expect(mergedOver({ a: 1, b: 1 }, { b: 1 }, { a: 1, b: 1, c: 1 })).toEqual({ b: 1, c: 1 });
    expect(mergedOver({ a: 1 }, { a: 1 }, {})).toEqual({});
  });
});
