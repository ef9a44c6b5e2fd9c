import { BowlineError, labelRequirementsOf, matchesLabels, type LabelRequirement } from "@bowline/core";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { labelValue, qualifiedName } from "../schema/text-rule.ts";
import { arbitraryFor } from "../testing/arbitrary-for.ts";
import { parseLabelSelector, printLabelSelector } from "./label-selector.ts";

describe("parseLabelSelector", () => {
  test.each<[string, LabelRequirement[]]>([
    ["", []],
    ["  ", []],
    ["app=web", [{ key: "app", operator: "in", values: ["web"] }]],
    ["app == web", [{ key: "app", operator: "in", values: ["web"] }]],
    ["app!=web", [{ key: "app", operator: "notIn", values: ["web"] }]],
    ["app=", [{ key: "app", operator: "in", values: [""] }]],
    ["app", [{ key: "app", operator: "exists" }]],
    ["!app", [{ key: "app", operator: "absent" }]],
    ["! app", [{ key: "app", operator: "absent" }]],
    ["in", [{ key: "in", operator: "exists" }]],
    [
      "tier in (a, b),env notin(x)",
      [
        { key: "tier", operator: "in", values: ["a", "b"] },
        { key: "env", operator: "notIn", values: ["x"] },
      ],
    ],
    ["tier in (,a)", [{ key: "tier", operator: "in", values: ["", "a"] }]],
    [
      "app.kubernetes.io/name=web,!canary",
      [
        { key: "app.kubernetes.io/name", operator: "in", values: ["web"] },
        { key: "canary", operator: "absent" },
      ],
    ],
  ])("reads «%s»", (text, expected) => {
    expect(parseLabelSelector(text)).toEqual(expected);
  });

  test.each([
    ["app=web,", "«», which is none of"],
    ["app web", "«app web», which is none of"],
    ["app in a,b", "«app in a», which is none of"],
    ["app in (a", "which is none of"],
    ["app in (a))", "which is none of"],
    ["app=a=b", "which is none of"],
    ["-app=web", "the key «-app», which must be a label key"],
    ["a/b/c", "the key «a/b/c», which must be a label key"],
    ["app=we b", "which is none of"],
    ["app=-web", "the value «-web», which must be letters, digits"],
    [`app=${"a".repeat(64)}`, "which must be at most 63 characters long"],
    ["a".repeat(5000), "longer than 4096 characters"],
  ])("refuses «%.20s» and says why", (text, message) => {
    expect(() => parseLabelSelector(text)).toThrow(expect.objectContaining({ code: "InvalidArgument" }));
    expect(() => parseLabelSelector(text)).toThrow(message);
  });

  test("throws nothing else, whatever it is given", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[a-z!=,() ]*$/)), (text) => {
        expect(codeOf(() => parseLabelSelector(text))).toBeOneOf([undefined, "InvalidArgument"]);
      }),
    );
  });
});

function codeOf(run: () => unknown): unknown {
  try {
    run();
    return undefined;
  } catch (error) {
    return error instanceof BowlineError ? error.code : error;
  }
}

test("what is printed is read back as the same", () => {
  const key = arbitraryFor({ type: "string", ...qualifiedName }).map(String);
  const values = fc.array(arbitraryFor({ type: "string", ...labelValue }).map(String), {
    minLength: 1,
    maxLength: 4,
  });
  const requirement = fc.oneof(
    fc.record({ key, operator: fc.constantFrom("in" as const, "notIn" as const), values }),
    fc.record({ key, operator: fc.constant("exists" as const) }),
    fc.record({ key, operator: fc.constant("absent" as const) }),
  );
  fc.assert(
    fc.property(fc.array(requirement, { maxLength: 4 }), (requirements) => {
      expect(parseLabelSelector(printLabelSelector(requirements))).toEqual(requirements);
    }),
  );
});

const labels = { app: "web", tier: "front", empty: "" };

describe("matchesLabels", () => {
  test.each([
    "",
    "app=web",
    "app",
    "!other",
    "other!=web",
    "other notin (a)",
    "tier in (back,front)",
    "empty=",
    "app=web,tier=front",
  ])("«%s» matches", (selector) => {
    expect(matchesLabels(parseLabelSelector(selector), labels)).toBe(true);
  });

  test.each([
    "app=api",
    "!app",
    "other",
    "other=",
    "app!=web",
    "app notin (web)",
    "app=web,tier=back",
    "constructor",
    "toString",
  ])("«%s» does not", (selector) => {
    expect(matchesLabels(parseLabelSelector(selector), labels)).toBe(false);
  });
});

describe("labelRequirementsOf", () => {
  test("takes all parts of a LabelSelector", () => {
    const requirements = labelRequirementsOf({
      matchLabels: { app: "web" },
      matchExpressions: [
        { key: "tier", operator: "In", values: ["front"] },
        { key: "env", operator: "NotIn", values: ["dev"] },
        { key: "empty", operator: "Exists" },
        { key: "other", operator: "DoesNotExist" },
      ],
    });
    expect(requirements).toEqual(parseLabelSelector("app=web,tier=front,env!=dev,empty,!other"));
    expect(matchesLabels(requirements, labels)).toBe(true);
  });

  test("an empty one selects everything", () => {
    expect(matchesLabels(labelRequirementsOf({ matchLabels: {}, matchExpressions: [] }), {})).toBe(true);
  });
});
