/**
 * One requirement of a label selector; all of them must hold.
 *
 * - `in`: the label is there and has one of the values
 * - `notIn`: the label has none of the values, or is not there
 * - `exists`, `absent`: the label is there, or is not
 */
export type LabelRequirement =
  | { readonly key: string; readonly operator: "in" | "notIn"; readonly values: readonly string[] }
  | { readonly key: string; readonly operator: "exists" }
  | { readonly key: string; readonly operator: "absent" };

/** A selector as objects of Kubernetes and ours carry it. One without parts selects everything. */
export interface LabelSelectorObject {
  readonly matchLabels?: Readonly<Record<string, string>> | undefined;
  readonly matchExpressions?:
    | readonly {
        readonly key: string;
        readonly operator: "In" | "NotIn" | "Exists" | "DoesNotExist";
        readonly values?: readonly string[] | undefined;
      }[]
    | undefined;
}

type Labels = Readonly<Record<string, string>>;

export function matchesLabels(requirements: readonly LabelRequirement[], labels: Labels): boolean {
  return requirements.every((requirement) => matchesLabel(requirement, labels));
}

function matchesLabel(requirement: LabelRequirement, labels: Labels): boolean {
  const { key } = requirement;
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (requirement.operator) {
    case "in":
      return value !== undefined && requirement.values.includes(value);
    case "notIn":
      return value === undefined || !requirement.values.includes(value);
    case "exists":
      return value !== undefined;
    case "absent":
    default:
      return value === undefined;
  }
}

/** The requirements of a selector as objects carry it. */
export function labelRequirementsOf(selector: LabelSelectorObject): LabelRequirement[] {
  const labels = Object.entries(selector.matchLabels ?? {}).map(([key, value]): LabelRequirement => ({
    key,
    operator: "in",
    values: [value],
  }));
  const expressions = (selector.matchExpressions ?? []).map(
    ({ key, operator, values = [] }): LabelRequirement => {
      if (operator === "Exists") return { key, operator: "exists" };
      if (operator === "DoesNotExist") return { key, operator: "absent" };
      return { key, operator: operator === "In" ? "in" : "notIn", values };
    },
  );
  return [...labels, ...expressions];
}
