import { describe, expect, test } from "vitest";

import { labelRequirementsOf, matchesLabels } from "./label-requirement.ts";
import { parseLabelSelector } from "./parse-label-selector.ts";

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
