import { labelValue, qualifiedName, type TextRule } from "@bowline/api";
import type { LabelRequirement } from "@bowline/core";

import type { Field } from "../model/field.ts";
import { compareText } from "../model/kube-object.ts";

/** A requirement, and whether it was written as `matchLabels`: the text form of a selector tells the two apart. */
export type SelectorTerm = LabelRequirement & { readonly isEquality?: true };

/** A value becomes part of a regular expression, so one that no label can have must not get there. */
const keyRule = ruleOf(qualifiedName);
const valueRule = ruleOf(labelValue);

interface Rule {
  readonly pattern: RegExp;
  readonly maxLength: number;
  readonly expects: string;
}

function ruleOf({ pattern, maxLength, expects }: TextRule): Rule {
  return { pattern: new RegExp(pattern, "u"), maxLength, expects };
}

function checkText(field: Field, text: string, { pattern, maxLength, expects }: Rule): void {
  if (text.length <= maxLength && pattern.test(text)) return;
  field.reject(`${field.path} is nothing that a label can be.`, `Use ${expects}.`);
}

const operators = ["In", "NotIn", "Exists", "DoesNotExist"] as const;

/** The terms of a Kubernetes LabelSelector: labels sorted by key, then the expressions as listed. */
export function readLabelSelector(field: Field): SelectorTerm[] {
  const labels = field
    .get("matchLabels")
    .entries()
    .map(([key, field]): SelectorTerm => {
      checkText(field, key, keyRule);
      const value = field.text() ?? "";
      checkText(field, value, valueRule);
      return { key, operator: "in", values: [value], isEquality: true };
    });
  return [...labels, ...field.get("matchExpressions").list().flatMap(readExpression)];
}

function readExpression(expression: Field): SelectorTerm[] {
  const key = expression.get("key").word();
  const operator = expression.get("operator").choice(operators);
  const values = expression.get("values").texts();
  if (key !== undefined) checkText(expression.get("key"), key, keyRule);
  for (const value of expression.get("values").list()) checkText(value, value.text() ?? "", valueRule);
  if (key === undefined || !expression.get("operator").present) {
    expression.reject(`${expression.path} lacks its key or its operator.`, "Give both key and operator.");
  }
  if (key === undefined || operator === undefined) return [];
  if (operator === "Exists" || operator === "DoesNotExist") {
    if (values.length > 0) {
      expression
        .get("values")
        .reject(
          `${expression.path}.values must be empty with ${operator}.`,
          "Remove the values, or use In or NotIn.",
        );
    }
    return [{ key, operator: operator === "Exists" ? "exists" : "absent" }];
  }
  if (values.length === 0) {
    expression
      .get("values")
      .reject(
        `${expression.path}.values must not be empty with ${operator}.`,
        "List the values, or use Exists or DoesNotExist.",
      );
  }
  return [{ key, operator: operator === "In" ? "in" : "notIn", values }];
}

/** The selector as the Kubernetes API takes it in a query: sorted by key, sets in parentheses. */
export function printSelector(terms: readonly SelectorTerm[]): string {
  return terms
    .toSorted((a, b) => compareText(a.key, b.key))
    .map((term) => {
      if (term.operator === "exists") return term.key;
      if (term.operator === "absent") return `!${term.key}`;
      if (term.isEquality) return `${term.key}=${term.values[0] ?? ""}`;
      return `${term.key} ${term.operator === "in" ? "in" : "notin"} (${term.values.toSorted().join(",")})`;
    })
    .join(",");
}
