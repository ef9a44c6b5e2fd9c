import type { LabelRequirement, LabelSelector } from "./kinds/meta.ts";

type Labels = Readonly<Record<string, string>> | undefined;

/** Whether labels satisfy a selector. An empty selector matches everything, an absent one nothing. */
export function matchesSelector(selector: LabelSelector | undefined, labels: Labels): boolean {
  if (selector === undefined) return false;
  return (
    matchesLabels(selector.matchLabels, labels) &&
    (selector.matchExpressions ?? []).every((requirement) => matchesRequirement(requirement, labels))
  );
}

export function matchesLabels(wanted: Labels, labels: Labels): boolean {
  if (wanted === undefined) return true;
  for (const key of Object.keys(wanted)) {
    if (labels?.[key] !== wanted[key]) return false;
  }
  return true;
}

function matchesRequirement(requirement: LabelRequirement, labels: Labels): boolean {
  const value = labels?.[requirement.key];
  const values = requirement.values ?? [];
  switch (requirement.operator) {
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return value === undefined || !values.includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    default:
      return requirement.operator satisfies never;
  }
}
