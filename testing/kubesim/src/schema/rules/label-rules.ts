import { isRecord, labelRequirementsOf, matchesLabels } from "@bowline/core";

import { qualifiedName, validLabelValue } from "../../store/name-rules.ts";
import { invalid, required } from "../field-problem.ts";
import { isList, type JsonObject, valueAt } from "../json-value.ts";
import { items, type Check, type Rule, showLabels, text } from "./check.ts";

/** Keys and values that must be labels. */
export const labels: Check = function* (value, path) {
  if (!isRecord(value)) return;
  for (const [key, label] of Object.entries(value)) {
    for (const why of qualifiedName(key)) yield invalid(path, key, why);
    if (typeof label !== "string") continue;
    for (const why of validLabelValue(label)) yield invalid(path, label, why);
  }
};

export const labelSelector: Rule = function* (selector, path) {
  yield* labels(selector["matchLabels"], `${path}matchLabels`);
  for (const [requirement, at] of items(selector, "matchExpressions", path)) {
    const operator = text(requirement["operator"]);
    const hasValues = isList(requirement["values"]) && requirement["values"].length > 0;
    if (operator === "In" || operator === "NotIn") {
      const why = "must be specified when `operator` is 'In' or 'NotIn'";
      if (!hasValues) yield required(`${at}values`, why);
    } else if (operator !== "Exists" && operator !== "DoesNotExist") {
      yield invalid(`${at}operator`, operator, "not a valid selector operator");
    }
  }
};

const operators = ["In", "NotIn", "Exists", "DoesNotExist"] as const;

/** Whether labels fulfil a selector; what cannot be understood fits nothing. */
export function selects(selector: JsonObject, candidate: unknown): boolean {
  const given = labelsOf(candidate);
  const wanted = isRecord(selector["matchLabels"]) ? selector["matchLabels"] : {};
  if (!Object.entries(wanted).every(([key, value]) => given[key] === value)) return false;
  return [...items(selector, "matchExpressions", "")].every(([expression]) => {
    const operator = operators.find((known) => known === expression["operator"]);
    if (operator === undefined) return false;
    const values = isList(expression["values"]) ? expression["values"].map(text) : [];
    const matchExpressions = [{ key: text(expression["key"]), operator, values }];
    return matchesLabels(labelRequirementsOf({ matchExpressions }), given);
  });
}

function labelsOf(candidate: unknown): Readonly<Record<string, string>> {
  const entries = isRecord(candidate) ? Object.entries(candidate) : [];
  return Object.fromEntries(
    entries.flatMap(([key, value]) => (typeof value === "string" ? [[key, value]] : [])),
  );
}

/** A selector as Go prints it. */
export function showSelector(value: unknown): string {
  const expressions = isRecord(value) ? [...items(value, "matchExpressions", "")] : [];
  const shown = expressions.map(([{ key, operator, values }]) => {
    const list = isList(values)
      ? `[]string{${values.map((item) => JSON.stringify(item)).join(", ")}}`
      : "[]string(nil)";
    return `v1.LabelSelectorRequirement{Key:${JSON.stringify(key)}, Operator:${JSON.stringify(operator)}, Values:${list}}`;
  });
  const requirements = `[]v1.LabelSelectorRequirement${shown.length === 0 ? "(nil)" : `{${shown.join(", ")}}`}`;
  return `v1.LabelSelector{MatchLabels:${showLabels(valueAt(value, "matchLabels"))}, MatchExpressions:${requirements}}`;
}
