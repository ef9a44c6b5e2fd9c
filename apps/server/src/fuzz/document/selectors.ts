import { printFieldSelector, printLabelSelector, type Kind } from "@bowline/api";
import type { LabelRequirement } from "@bowline/core";
import * as fc from "fast-check";

const labelRequirements: fc.Arbitrary<LabelRequirement> = fc.oneof(
  fc.record({
    key: fc.constantFrom("app", "a.b/c"),
    operator: fc.constantFrom<"exists" | "absent">("exists", "absent"),
  }),
  fc.record({
    key: fc.constantFrom("app", "tier"),
    operator: fc.constantFrom<"in" | "notIn">("in", "notIn"),
    values: fc.uniqueArray(fc.constantFrom("web", "db", "A_1.b", ""), { minLength: 1 }),
  }),
);

/** Selectors of labels that some object may have. */
export const labelSelectors = fc.array(labelRequirements, { maxLength: 3 }).map(printLabelSelector);

/** Selectors of the fields that a kind can be selected by. */
export function fieldSelectorsOf(kind: Kind): fc.Arbitrary<string> {
  const requirement = fc.constantFrom(...kind.filterable).chain((field) => {
    const { type, choices } = field;
    const values =
      choices === undefined
        ? { boolean: fc.constantFrom("true", "false"), integer: fc.nat().map(String), string: fc.string() }[
            type
          ]
        : fc.constantFrom(...choices);
    return fc.record({
      field: fc.constant(field),
      operator: fc.constantFrom<"=" | "!=">("=", "!="),
      value: values,
    });
  });
  return fc.array(requirement, { maxLength: 2 }).map(printFieldSelector);
}
