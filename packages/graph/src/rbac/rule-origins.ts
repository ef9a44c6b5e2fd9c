import { labelRequirementsOf, matchesLabels } from "@bowline/core";

import { nodeKey } from "../model/node.ts";
import type { Rbac, RbacRole } from "./rbac.ts";
import { ruleKey, type RuleRef } from "./rule.ts";

/**
 * Where a rule of a ClusterRole was written that gathers the rules of others: a controller copies them into it, and
 * what the API server goes by is the copy. Through as many roles as it came; none, if the rule is the role's own.
 */
export function ruleOrigins(rbac: Rbac, { role, index }: RuleRef): RuleRef[] {
  const gathering = rbac.roles.get(nodeKey(role));
  const rule = gathering?.rules[index];
  return gathering && rule ? originsOf(rbac, gathering, ruleKey(rule), new Set()) : [];
}

function originsOf(rbac: Rbac, gathering: RbacRole, wanted: string, seen: Set<RbacRole>): RuleRef[] {
  if (gathering.aggregates.length === 0 || seen.has(gathering)) return [];
  // Two roles may gather each other.
  seen.add(gathering);
  return gatheredBy(rbac, gathering).flatMap((source) => {
    const index = source.rules.findIndex((rule) => ruleKey(rule) === wanted);
    if (index < 0) return [];
    const further = originsOf(rbac, source, wanted, seen);
    return further.length > 0 ? further : [{ role: source.node, index, at: `/rules/${index}` }];
  });
}

function gatheredBy(rbac: Rbac, gathering: RbacRole): RbacRole[] {
  const selectors = gathering.aggregates.map((selector) => labelRequirementsOf(selector));
  return rbac.roles
    .values()
    .filter((each) => each.node.kind === "ClusterRole" && each !== gathering)
    .filter(({ labels }) => selectors.some((each) => matchesLabels(each, labels)))
    .toArray();
}
