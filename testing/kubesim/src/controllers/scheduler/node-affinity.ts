import type { Node } from "../kinds/node.ts";
import type { NodeRequirement, NodeSelectorTerm, PodSpec } from "../kinds/pod.ts";
import { hasLabels } from "../label-selector.ts";

/** Whether a node is one of those a pod asks for, by selector and required affinity. */
export function matchesNodeAffinity(spec: PodSpec, node: Node): boolean {
  if (!hasLabels(spec.nodeSelector, node.metadata.labels)) return false;
  const terms = requiredTerms(spec);
  return terms === undefined || terms.some((term) => matchesTerm(term, node));
}

/** The one node a pod is made for, where its affinity names it: the pods of a DaemonSet are bound so. */
export function pinnedNode(spec: PodSpec): string | undefined {
  const terms = requiredTerms(spec);
  const [field] = terms?.length === 1 ? (terms[0]?.matchFields ?? []) : [];
  const isPin = field?.key === "metadata.name" && field.operator === "In" && field.values?.length === 1;
  return isPin ? field.values?.[0] : undefined;
}

function requiredTerms(spec: PodSpec): readonly NodeSelectorTerm[] | undefined {
  return spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
}

function matchesTerm({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm, node: Node): boolean {
  if (matchExpressions.length === 0 && matchFields.length === 0) return false;
  return (
    matchExpressions.every((each) => matchesValue(each, node.metadata.labels?.[each.key])) &&
    matchFields.every((each) =>
      matchesValue(each, each.key === "metadata.name" ? node.metadata.name : undefined),
    )
  );
}

function matchesValue({ operator, values = [] }: NodeRequirement, value: string | undefined): boolean {
  switch (operator) {
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return value === undefined || !values.includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    case "Gt":
      return value !== undefined && Number(value) > Number(values[0]);
    case "Lt":
      return value !== undefined && Number(value) < Number(values[0]);
    default:
      return operator satisfies never;
  }
}
