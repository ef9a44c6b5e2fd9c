import { expect, test } from "vitest";

import { labelRequirementsOf, matchesLabels, type LabelSelectorObject } from "./label-selector.ts";

const labels = { app: "web", tier: "front", empty: "" };

test.each<[LabelSelectorObject, boolean]>([
  [{}, true],
  [{ matchLabels: { app: "web", empty: "" } }, true],
  [{ matchLabels: { app: "db" } }, false],
  [{ matchExpressions: [{ key: "tier", operator: "In", values: ["back", "front"] }] }, true],
  [{ matchExpressions: [{ key: "other", operator: "In", values: [""] }] }, false],
  [{ matchExpressions: [{ key: "other", operator: "NotIn", values: ["web"] }] }, true],
  [{ matchExpressions: [{ key: "app", operator: "NotIn", values: ["web"] }] }, false],
  [{ matchExpressions: [{ key: "empty", operator: "Exists" }] }, true],
  [{ matchExpressions: [{ key: "constructor", operator: "DoesNotExist" }] }, true],
  [{ matchLabels: { app: "web" }, matchExpressions: [{ key: "tier", operator: "DoesNotExist" }] }, false],
])("%j", (selector, matches) => {
  expect(matchesLabels(labelRequirementsOf(selector), labels)).toBe(matches);
});
