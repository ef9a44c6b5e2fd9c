import type { Graph, GraphNode } from "../graph/graph.ts";
import { nodeKey, type NodeRef } from "../model/node.ts";
import { severities, type RbacFinding, type RbacFindingCode, type Severity } from "../rbac/finding.ts";
import { rbacFindings } from "../rbac/findings.ts";
import { compileRbac, type Rbac } from "../rbac/rbac.ts";
import {
  answerNode,
  isGap,
  maySee,
  notObserved,
  systemNamespaces,
  usingKinds,
  withheld,
  type AnswerFrame,
  type AnswerNode,
  type Asking,
} from "./asking.ts";
import { podWeaknesses, type PodFindingCode, type PodWeakness, type WeakPlace } from "./audit-pods.ts";
import { Owners } from "./owners.ts";

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
  /** By cluster, where somebody has it already. */
  readonly rbac?: ReadonlyMap<string, Rbac> | undefined;
}

const evidenceTold = 10;
const rbacKinds = ["Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding"];

/** What an attacker would like: of workloads and of rights, the worst first, that of Kubernetes itself last. */
export function audit(asking: Asking, options: AuditOptions = {}): AuditAnswer {
  const found = [...workloadFindings(asking), ...rightsFindings(asking, options.rbac)];
  const findings = found
    .flatMap((finding) => ("withheld" in finding.subject ? [] : [finding]))
    .toSorted((one, other) => order(one) - order(other) || (one.id < other.id ? -1 : 1));
  const { limit = 1_000 } = options;
  return {
    total: found.length,
    findings: findings.slice(0, limit),
    bySeverity: countBySeverity(findings),
    withheld: found.length - findings.length,
    truncated: findings.length > limit,
    notObserved: notObserved(asking, { kinds: new Set([...usingKinds, ...rbacKinds]) }),
  };
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
  for (const cluster of asking.graph.clusters) {
    const rbac = known?.get(cluster) ?? rbacOf(asking.graph, cluster);
    const isObserved = (kind: string, namespace: string): boolean => !isGap(asking, cluster, namespace, kind);
    for (const finding of rbacFindings(rbac, { isObserved })) yield rightsFinding(asking, cluster, finding);
  }
}

function rbacOf(graph: Graph, cluster: string): Rbac {
  const own = graph.entries().find(([name]) => name === cluster)?.[1];
  const nodes = rbacKinds.flatMap((kind) => [...(own?.nodes(kind) ?? [])]);
  return compileRbac(nodes.flatMap((node) => own?.facts(own.uid(node) ?? "") ?? []));
}

function rightsFinding(asking: Asking, cluster: string, finding: RbacFinding): Finding {
  const { code, severity, message, evidence, moreEvidence, isBuiltIn } = finding;
  const place = (node: NodeRef): AnswerNode => placeIn(asking, cluster, node);
  return {
    id: finding.id.replace(`${code}-`, `${code}/${cluster}/`),
    code,
    severity,
    subject: place(finding.node),
    message,
    evidence: evidence.slice(0, evidenceTold).map(({ node, at }) => {
      const told = place(node);
      return { node: told, at: "withheld" in told ? "" : at };
    }),
    count: evidence.length + moreEvidence,
    ...(isBuiltIn ? { isSystem: true } : {}),
  };
}

/** Groups that everybody is in are bound by nobody, and have no node. */
function placeIn(asking: Asking, cluster: string, ref: NodeRef): AnswerNode {
  const node = asking.graph.find(cluster, ref);
  if (node !== undefined) return answerNode(asking, node);
  return asking.canSee(cluster, ref.namespace, ref.kind) ? { ...ref } : withheld;
}

function order({ severity, isSystem }: Finding): number {
  return severities.indexOf(severity) + (isSystem === true ? severities.length : 0);
}

function countBySeverity(findings: readonly Finding[]): Partial<Record<Severity, number>> {
  const counts: Partial<Record<Severity, number>> = {};
  for (const { severity } of findings) counts[severity] = (counts[severity] ?? 0) + 1;
  return counts;
}
