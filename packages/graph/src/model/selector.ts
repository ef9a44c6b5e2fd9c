import { isRecord, type LabelSelectorObject } from "@bowline/core";

import { factLimits } from "./limits.ts";
import { isName, listOf, type FactFields } from "./read-fields.ts";

type Expression = NonNullable<LabelSelectorObject["matchExpressions"]>[number];

const operators: ReadonlySet<unknown> = new Set(["In", "NotIn", "Exists", "DoesNotExist"]);

export const selectorFields: FactFields = {
  matchLabels: true,
  matchExpressions: { key: true, operator: true, values: true },
};

/**
 * A label selector as objects carry it. Undefined where any of it cannot be read: without that part it would select
 * more than it says.
 */
export function selectorOf(value: unknown): LabelSelectorObject | undefined {
  if (!isRecord(value)) return undefined;
  const matchLabels = matchLabelsOf(value["matchLabels"] ?? {});
  const expressions = expressionsOf(value["matchExpressions"] ?? []);
  if (matchLabels === undefined || expressions === undefined) return undefined;
  return {
    ...(Object.keys(matchLabels).length === 0 ? {} : { matchLabels }),
    ...(expressions.length === 0 ? {} : { matchExpressions: expressions }),
  };
}

/** Labels that have to match, as they are in selectors and, alone, in Services. */
export function matchLabelsOf(value: unknown): Readonly<Record<string, string>> | undefined {
  if (!isRecord(value)) return undefined;
  const entries = Object.entries(value);
  if (entries.length > factLimits.listItems) return undefined;
  const read: (readonly [string, string])[] = [];
  for (const [name, label] of entries) {
    if (!isName(name) || name === "__proto__" || !isLabelValue(label)) return undefined;
    read.push([name, label]);
  }
  return Object.fromEntries(read);
}

function expressionsOf(value: unknown): readonly Expression[] | undefined {
  if (!Array.isArray(value) || value.length > factLimits.listItems) return undefined;
  const read: Expression[] = [];
  for (const item of value) {
    const expression = expressionOf(item);
    if (expression === undefined) return undefined;
    read.push(expression);
  }
  return read;
}

function expressionOf(value: unknown): Expression | undefined {
  if (!isRecord(value) || !isName(value["key"]) || !isOperator(value["operator"])) return undefined;
  const { key, operator } = value;
  const values = listOf(value["values"]);
  if (values.length > factLimits.listItems || !values.every(isLabelValue)) return undefined;
  return values.length === 0 ? { key, operator } : { key, operator, values };
}

function isOperator(value: unknown): value is Expression["operator"] {
  return operators.has(value);
}

function isLabelValue(value: unknown): value is string {
  return value === "" || isName(value);
}
