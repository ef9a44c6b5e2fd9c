import { labelRequirementsOf, matchesLabels, type LabelRequirement } from "@bowline/core";

import type { LabelSelector } from "./kinds/meta.ts";

type Labels = Readonly<Record<string, string>> | undefined;

/** Controllers hold one selector against thousands of pods. */
const requirementsOf = new WeakMap<LabelSelector, readonly LabelRequirement[]>();

/** Whether labels satisfy a selector. An empty selector matches everything, an absent one nothing. */
export function matchesSelector(selector: LabelSelector | undefined, labels: Labels): boolean {
  if (selector === undefined) return false;
  const requirements = requirementsOf.get(selector) ?? labelRequirementsOf(selector);
  requirementsOf.set(selector, requirements);
  return matchesLabels(requirements, labels ?? {});
}

/** Whether all wanted labels are there with their values. */
export function hasLabels(wanted: Labels, labels: Labels): boolean {
  if (wanted === undefined) return true;
  for (const key of Object.keys(wanted)) {
    if (labels?.[key] !== wanted[key]) return false;
  }
  return true;
}
