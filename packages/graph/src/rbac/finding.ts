import { contentId } from "@bowline/core";

import { nodeKey, type NodeRef } from "../model/node.ts";

export const severities = ["critical", "high", "medium", "low"] as const;
export type Severity = (typeof severities)[number];

/**
 * - `Wildcard`: a rule for all verbs, groups, resources or paths, those that do not exist yet included
 * - `Escalate`, `Bind`, `Impersonate`: a rule by which its holders get rights that they do not have
 * - `WideAccess`: a right in the whole cluster by which its holders reach all Secrets, ServiceAccounts or pods
 * - `PublicAccess`: more than discovery for everybody, or for everybody who is authenticated
 * - `ClusterAdmin`: somebody may do everything
 * - `BecomesClusterAdmin`: somebody can get there, step by step
 * - `MissingRole`: a binding to a role that does not exist; whoever makes that role decides what it grants
 */
export type RbacFindingCode =
  | "Wildcard"
  | "Escalate"
  | "Bind"
  | "Impersonate"
  | "WideAccess"
  | "PublicAccess"
  | "ClusterAdmin"
  | "BecomesClusterAdmin"
  | "MissingRole";

/** A place that shows it. */
export interface Evidence {
  readonly node: NodeRef;
  /** JSON pointer in that object. */
  readonly at: string;
}

export interface RbacFinding {
  /** The same for the same finding, whenever and in whatever order things are looked at. */
  readonly id: string;
  readonly code: RbacFindingCode;
  readonly severity: Severity;
  /** What it is about. */
  readonly node: NodeRef;
  /** A sentence for people. */
  readonly message: string;
  readonly evidence: readonly Evidence[];
  /** How many more places show it. */
  readonly moreEvidence: number;
  /** Every cluster has it: by roles and bindings that Kubernetes itself makes. Their labels say so, which can lie. */
  readonly isBuiltIn: boolean;
}

export interface FindingDraft extends Omit<RbacFinding, "id" | "evidence" | "moreEvidence"> {
  readonly evidence: readonly Evidence[];
  /** What tells it from others of the same code about the same node. */
  readonly detail: string;
}

const shownEvidence = 20;
const idDigits = 16;

export function finding({ detail, evidence, ...draft }: FindingDraft): RbacFinding {
  const hash = contentId(JSON.stringify([nodeKey(draft.node), detail]));
  return {
    ...draft,
    id: `${draft.code}-${hash.slice("sha256:".length, "sha256:".length + idDigits)}`,
    evidence: evidence.slice(0, shownEvidence),
    moreEvidence: Math.max(0, evidence.length - shownEvidence),
  };
}

/** By severity, then by what they are about. */
export function compareFindings(one: RbacFinding, other: RbacFinding): number {
  const bySeverity = severities.indexOf(one.severity) - severities.indexOf(other.severity);
  if (bySeverity !== 0) return bySeverity;
  const [first, second] = [one, other].map(({ code, node, id }) => `${code} ${nodeKey(node)} ${id}`);
  return (first ?? "") < (second ?? "") ? -1 : 1;
}
