import { shortened } from "@bowline/core";

import type { GraphNode } from "../graph/graph.ts";
import { nodeKey, type NodeRef } from "../model/node.ts";
import { severities, type RbacFinding, type RbacFindingCode, type Severity } from "../rbac/finding.ts";
import { rbacFindings } from "../rbac/findings.ts";
import type { Rbac } from "../rbac/rbac.ts";
import {
  answerNode,
  isGap,
  isWithheld,
  maySee,
  notObserved,
  refNode,
  systemNamespaces,
  usingKinds,
  type AnswerFrame,
  type AnswerNode,
  type Asking,
} from "./asking.ts";
import { podWeaknesses, type PodFindingCode, type PodWeakness, type WeakPlace } from "./audit-pods.ts";
import { Owners } from "./owners.ts";
import { rbacKinds, rbacOf } from "./rbac-of.ts";

export interface AuditAnswer extends AnswerFrame {
  readonly total: number;
  readonly findings: readonly Finding[];
  readonly bySeverity: Readonly<Partial<Record<Severity, number>>>;
}

export interface Finding {
  /** The same for as long as the workload or role has it, whichever pods there are. */
  readonly id: string;
  readonly code: PodFindingCode | RbacFindingCode;
  readonly severity: Severity;
  /** The workload at the top, the role, the binding, or whoever has the rights. */
  readonly subject: AnswerNode;
  readonly message: string;
  readonly evidence: readonly FindingPlace[];
  /** All places that show it, of which the evidence has the first. */
  readonly count: number;
  /** It belongs to Kubernetes itself, which cannot do without. */
  readonly isSystem?: true;
}

export interface FindingPlace {
  readonly node: AnswerNode;
  /** JSON pointer; empty for what follows from no field, or is withheld. */
  readonly at: string;
}

export interface AuditOptions {
  readonly limit?: number | undefined;
  /** Only what is at least as bad. */
  readonly severity?: Severity | undefined;
  /** Only what is about something in it. */
  readonly namespace?: string | undefined;
  /** By cluster, where somebody has it already. */
  readonly rbac?: ReadonlyMap<string, Rbac> | undefined;
}

const evidenceTold = 10;
const messageLength = 4_096;

/** What an attacker would like: of workloads and of rights, the worst first, that of Kubernetes itself last. */
export function audit(asking: Asking, options: AuditOptions = {}): AuditAnswer {
  const found = [...workloadFindings(asking), ...rightsFindings(asking, options.rbac)].filter((finding) =>
    isWanted(finding, options),
  );
  const findings = found
    .filter(({ subject }) => !isWithheld(subject))
    .toSorted((one, other) => order(one) - order(other) || (one.id < other.id ? -1 : 1));
  const { limit = 1_000 } = options;
  return {
    total: found.length,
    findings: findings.slice(0, limit),
    bySeverity: countBySeverity(findings),
    withheld: found.length - findings.length,
    truncated: findings.length > limit,
    notObserved: notObserved(asking, {
      ...(options.namespace === undefined ? {} : { namespaces: [options.namespace] }),
      kinds: new Set([...usingKinds, ...rbacKinds]),
    }),
  };
}

/** Of what is withheld nobody learns where it is: it counts wherever one asks. */
function isWanted({ severity, subject }: Finding, options: AuditOptions): boolean {
  const { severity: least = "low", namespace } = options;
  if (severities.indexOf(severity) > severities.indexOf(least)) return false;
  return namespace === undefined || isWithheld(subject) || subject.namespace === namespace;
}

/** The pods of a workload have the same weaknesses, which are one finding. */
function* workloadFindings(asking: Asking): Generator<Finding> {
  const { graph } = asking;
  const owners = new Owners(graph);
  const merged = new Map<string, { weakness: PodWeakness; top: GraphNode; places: WeakPlace[] }>();
  for (const weakness of podWeaknesses(graph)) {
    const top = owners.top(weakness.pod);
    const detail = weakness.detail === "" ? "" : `/${weakness.detail}`;
    const id = `${weakness.code}/${graph.cluster(top) ?? ""}/${nodeKey(graph.ref(top))}${detail}`;
    const known = merged.get(id);
    if (known === undefined) merged.set(id, { weakness, top, places: [...weakness.places] });
    else known.places.push(...weakness.places);
  }
  for (const [id, { weakness, top, places }] of merged) {
    const { code, severity, message } = weakness;
    yield {
      id,
      code,
      severity,
      subject: answerNode(asking, top),
      message,
      evidence: places.slice(0, evidenceTold).map(({ node, at }) => ({
        node: answerNode(asking, node),
        at: maySee(asking, node) ? at : "",
      })),
      count: places.length,
      ...(systemNamespaces.has(graph.namespace(top)) ? { isSystem: true } : {}),
    };
  }
}

function* rightsFindings(asking: Asking, known: AuditOptions["rbac"]): Generator<Finding> {
  for (const [cluster, own] of asking.graph.entries()) {
    const rbac = known?.get(cluster) ?? rbacOf(own);
    const isObserved = (kind: string, namespace: string): boolean => !isGap(asking, cluster, namespace, kind);
    for (const finding of rbacFindings(rbac, { isObserved })) yield rightsFinding(asking, cluster, finding);
  }
}

function rightsFinding(asking: Asking, cluster: string, finding: RbacFinding): Finding {
  const { code, severity, message, evidence, moreEvidence, isBuiltIn } = finding;
  const place = (node: NodeRef): AnswerNode => refNode(asking, cluster, node);
  const isWhole = evidence.every(({ node }) => !isWithheld(place(node)));
  return {
    id: finding.id.replace(`${code}-`, `${code}/${cluster}/`),
    code,
    severity,
    subject: place(finding.node),
    // Sentences name what they speak of, and those about everything are as long as there are rules.
    message: isWhole ? shortened(message, messageLength) : "It follows from objects that are withheld.",
    evidence: evidence.slice(0, evidenceTold).map(({ node, at }) => {
      const told = place(node);
      return { node: told, at: isWithheld(told) ? "" : at };
    }),
    count: evidence.length + moreEvidence,
    ...(isBuiltIn ? { isSystem: true } : {}),
  };
}

function order({ severity, isSystem }: Finding): number {
  return severities.indexOf(severity) + (isSystem === true ? severities.length : 0);
}

function countBySeverity(findings: readonly Finding[]): Partial<Record<Severity, number>> {
  const counts: Partial<Record<Severity, number>> = {};
  for (const { severity } of findings) counts[severity] = (counts[severity] ?? 0) + 1;
  return counts;
}
