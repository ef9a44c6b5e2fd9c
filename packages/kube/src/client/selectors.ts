import { BowlineError } from "@bowline/core";

/** One requirement of a label selector; `exists` and `absent` look at the key alone. */
export type LabelRequirement =
  | { readonly key: string; readonly operator: "in" | "notIn"; readonly values: readonly string[] }
  | { readonly key: string; readonly operator: "exists" | "absent"; readonly values?: never };

/** `{app: "web"}` is short for "the label app is web". */
export type LabelSelectorInput = Readonly<Record<string, string>> | readonly LabelRequirement[];

/** The `matchLabels` and `matchExpressions` that objects such as Deployments carry. */
export interface LabelSelectorObject {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: "In" | "NotIn" | "Exists" | "DoesNotExist";
    readonly values?: readonly string[];
  }[];
}

const labelName = /^([A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?)$/;
const labelPrefix = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/;

/** `app=web,tier in (a,b),!canary`. Label syntax has no escapes, so a value that breaks it is refused, not sent. */
export function labelSelector(input: LabelSelectorInput): string {
  const requirements = isRequirements(input)
    ? input
    : Object.entries(input).map(([key, value]): LabelRequirement => ({
        key,
        operator: "in",
        values: [value],
      }));
  return requirements.map(labelRequirement).join(",");
}

export function labelSelectorOf(selector: LabelSelectorObject): string {
  const labels = Object.entries(selector.matchLabels ?? {}).map(([key, value]): LabelRequirement => ({
    key,
    operator: "in",
    values: [value],
  }));
  const expressions = (selector.matchExpressions ?? []).map((expression): LabelRequirement => {
    const { key, operator, values = [] } = expression;
    if (operator === "Exists") return { key, operator: "exists" };
    if (operator === "DoesNotExist") return { key, operator: "absent" };
    return { key, operator: operator === "In" ? "in" : "notIn", values };
  });
  return labelSelector([...labels, ...expressions]);
}

export interface FieldRequirement {
  readonly field: string;
  readonly operator: "=" | "!=";
  readonly value: string;
}

/** `metadata.name=web,status.phase!=Running`, with the escapes that field selectors, unlike labels, have. */
export function fieldSelector(input: Readonly<Record<string, string>> | readonly FieldRequirement[]): string {
  const requirements = isRequirements(input)
    ? input
    : Object.entries(input).map(([field, value]): FieldRequirement => ({ field, operator: "=", value }));
  return requirements
    .map(({ field, operator, value }) => `${field}${operator}${value.replaceAll(/[\\,=]/g, String.raw`\$&`)}`)
    .join(",");
}

function isRequirements<T>(input: Readonly<Record<string, string>> | readonly T[]): input is readonly T[] {
  return Array.isArray(input);
}

function labelRequirement(requirement: LabelRequirement): string {
  const key = checkedKey(requirement.key);
  if (requirement.operator === "exists") return key;
  if (requirement.operator === "absent") return `!${key}`;
  const values = (requirement.values ?? []).map(checkedValue);
  const [first] = values;
  if (first === undefined) throw refused(`A selector on the label "${key}" needs at least one value.`);
  if (values.length === 1) return `${key}${requirement.operator === "in" ? "=" : "!="}${first}`;
  return `${key} ${requirement.operator === "in" ? "in" : "notin"} (${values.join(",")})`;
}

function checkedKey(key: string): string {
  const [name = "", prefix, ...rest] = key.split("/").toReversed();
  if (rest.length > 0 || !labelName.test(name) || (prefix !== undefined && !labelPrefix.test(prefix))) {
    throw refused(`"${key}" is not a label key.`);
  }
  return key;
}

function checkedValue(value: string): string {
  if (value !== "" && !labelName.test(value)) throw refused(`"${value}" is not a label value.`);
  return value;
}

function refused(message: string): BowlineError {
  return new BowlineError("InvalidArgument", message);
}
