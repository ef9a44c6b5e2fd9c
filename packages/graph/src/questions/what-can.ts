import type { NodeRef } from "../model/node.ts";
import { whatCan, type Grant } from "../rbac/access.ts";
import { becomes, stepText } from "../rbac/becomes.ts";
import type { EscalationStep } from "../rbac/escalation-step.ts";
import { answerGrant, type AnswerGrant } from "./answer-grant.ts";
import {
  isWithheld,
  notObserved,
  refNode,
  type AnswerFrame,
  type AnswerNode,
  type Asking,
} from "./asking.ts";
import { accountsOf, rbacKinds, rbacOf } from "./rbac-of.ts";

export interface WhatCanAnswer extends AnswerFrame {
  readonly clusters: readonly ClusterRights[];
}

/** The rights of somebody in one cluster. */
export interface ClusterRights {
  readonly cluster: string;
  /** No rule is asked for: a member of `system:masters`. */
  readonly isMaster: boolean;
  readonly rules: readonly AnswerGrant[];
  /** Bindings that would give them a role that does not exist. */
  readonly missing: readonly AnswerNode[];
  /** Whom they can become, or what rights they can give themselves, in the order of the fewest steps. */
  readonly becomes: readonly BecomingStep[];
  /** Whether somebody they can become may do everything in the cluster, or they may themselves. */
  readonly becomesMaster: boolean;
}

export interface BecomingStep {
  readonly from: NodeRef;
  readonly way: EscalationStep["way"];
  readonly to: NodeRef;
  /** Where rights are gained rather than somebody; empty for the whole cluster. */
  readonly namespace?: string;
  readonly sentence: string;
}

export interface WhatCanOptions {
  readonly limit?: number | undefined;
  /** Only what holds there, which is what holds in the whole cluster, too. */
  readonly namespace?: string | undefined;
}

/** What somebody may do in each cluster, by which rules, and whom they can become by them. */
export function whatCanDo(asking: Asking, subject: NodeRef, options: WhatCanOptions = {}): WhatCanAnswer {
  const { limit = 1_000, namespace } = options;
  let [withheld, truncated] = [0, false];
  const clusters = [...asking.graph.entries()].map(([cluster, own]): ClusterRights => {
    const rbac = rbacOf(own);
    const { isMaster, everywhere, byNamespace, missing } = whatCan(rbac, subject);
    const elsewhere = [...byNamespace].filter(([name]) => namespace === undefined || name === namespace);
    const grants: Grant[] = [...everywhere, ...elsewhere.flatMap(([, list]) => list)];
    const visible = grants.filter(({ binding }) => !isWithheld(refNode(asking, cluster, binding)));
    const rules = visible.slice(0, limit).flatMap((grant) => answerGrant(asking, cluster, rbac, grant) ?? []);
    const { steps, master } = becomes(rbac, subject, { accounts: accountsOf(own) });
    const seen = steps.filter((step) =>
      mentioned(step).every((ref) => !isWithheld(refNode(asking, cluster, ref))),
    );
    withheld += grants.length - visible.length + steps.length - seen.length;
    truncated ||= visible.length > limit || seen.length > limit || missing.length > limit;
    return {
      cluster,
      isMaster,
      rules,
      missing: missing.slice(0, limit).map((binding) => refNode(asking, cluster, binding)),
      becomes: seen.slice(0, limit).map((step) => answerStep(step)),
      becomesMaster: master !== undefined,
    };
  });
  return {
    clusters,
    withheld,
    truncated,
    notObserved: notObserved(asking, { kinds: new Set([...rbacKinds, "ServiceAccount", "Pod"]) }),
  };
}

/** All that a step's sentence names, users and groups aside, which are nobody's. */
function mentioned({ from, to, rights }: EscalationStep): NodeRef[] {
  const target = to.type === "subject" ? [to.subject] : to.type === "role" ? [to.role] : [];
  const reasons = rights.flatMap(({ rule, binding }) => [
    ...(rule ? [rule.role] : []),
    ...(binding ? [binding] : []),
  ]);
  return [from, ...target, ...reasons].filter(({ kind }) => kind !== "User" && kind !== "Group");
}

function answerStep(step: EscalationStep): BecomingStep {
  const { from, way, to } = step;
  const sentence = stepText(step);
  if (to.type === "subject") return { from, way, to: to.subject, sentence };
  const target = to.type === "role" ? to.role : from;
  return { from, way, to: target, namespace: to.namespace, sentence };
}
