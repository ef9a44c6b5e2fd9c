import { describe, expect, it } from "vitest";
import { fieldSelector, labelSelector, labelSelectorOf } from "./selectors.ts";

describe("labelSelector", () => {
  it("writes every operator", () => {
    expect(labelSelector({ app: "web", "acme.com/tier": "" })).toBe("app=web,acme.com/tier=");
    expect(
      labelSelector([
        { key: "a", operator: "in", values: ["x", "y"] },
        { key: "b", operator: "notIn", values: ["x"] },
        { key: "c", operator: "notIn", values: ["x", "y"] },
        { key: "d", operator: "exists" },
        { key: "e", operator: "absent" },
      ]),
    ).toBe("a in (x,y),b!=x,c notin (x,y),d,!e");
  });

  it("writes the selector that objects carry", () => {
    expect(
      labelSelectorOf({
        matchLabels: { app: "web" },
        matchExpressions: [
          { key: "tier", operator: "In", values: ["a", "b"] },
          { key: "x", operator: "NotIn", values: ["y"] },
          { key: "canary", operator: "DoesNotExist" },
          { key: "team", operator: "Exists" },
        ],
      }),
    ).toBe("app=web,tier in (a,b),x!=y,!canary,team");
  });

  it.each(["a,b", "a=b", "a b", "(a)", "-a", "a".repeat(64), "ä"])(
    "refuses %s, which would select something else",
    (value) => {
      expect(() => labelSelector({ app: value })).toThrow("is not a label value");
      expect(() => labelSelector({ [value]: "x" })).toThrow("is not a label key");
    },
  );

  it("refuses a requirement without values", () => {
    expect(() => labelSelector([{ key: "a", operator: "in", values: [] }])).toThrow("at least one value");
  });
});

describe("fieldSelector", () => {
  it("escapes what has a meaning in it", () => {
    expect(fieldSelector({ "metadata.name": "web", "status.phase": "a,b=c\\d" })).toBe(
      String.raw`metadata.name=web,status.phase=a\,b\=c\\d`,
    );
    expect(fieldSelector([{ field: "status.phase", operator: "!=", value: "Running" }])).toBe(
      "status.phase!=Running",
    );
  });
});
