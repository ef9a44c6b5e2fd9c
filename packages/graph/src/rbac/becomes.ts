import type { NodeRef } from "../model/node.ts";
import { compareNodes, nodeText } from "./access.ts";
import type { EscalationStep, HeldRight, StepTarget, Way } from "./escalation-step.ts";
import { Escalation } from "./escalation.ts";
import type { Rbac } from "./rbac.ts";
import type { KnownAccount, KnownAccounts } from "./subject-ways.ts";
import { subjectOf, userOf } from "./subject.ts";

export interface BecomesOptions {
  /** Of a user, as far as they are known elsewhere. */
  readonly groups?: readonly string[] | undefined;
  /** ServiceAccounts that exist and the pods that run as them; without it, those that bindings speak of. */
  readonly accounts?: KnownAccounts | undefined;
}

/** Whom somebody can become, and what they can do to get there. */
export interface Becoming {
  /** In the order in which they were found, so that the first to lead to somebody is of the fewest. */
  readonly steps: readonly EscalationStep[];
  /** The first who may do everything in the cluster; the one who was asked about, if they may. */
  readonly master: NodeRef | undefined;
  /** The steps that lead to somebody, the first one first; empty if nothing does. */
  pathTo(subject: NodeRef): EscalationStep[];
}

/**
 * Whom a subject can become by the rules they have, and by the rules of those they become. What is beside RBAC is not
 * part of it: admission, what a node allows a container, tokens that lie in Secrets, and the aggregation of roles.
 */
export function becomes(rbac: Rbac, subject: NodeRef, options: BecomesOptions = {}): Becoming {
  const escalation = new Escalation(rbac, options.accounts ?? boundAccounts(rbac));
  const start = subjectOf(subject);
  escalation.walk(start, userOf(start, options.groups));
  escalation.reachEverybody();
  return escalation;
}

/** ServiceAccounts that bindings speak of. Whether pods run as them is not known here. */
export function boundAccounts(rbac: Rbac): KnownAccounts {
  const accounts = new Map<string, KnownAccount[]>();
  const bound = rbac.subjects().filter(({ kind }) => kind === "ServiceAccount");
  for (const { namespace, name } of [...bound].sort(compareNodes)) {
    const known = accounts.get(namespace);
    if (known) known.push({ name });
    else accounts.set(namespace, [{ name }]);
  }
  return accounts;
}

const waySentences: Readonly<Record<Way, string>> = {
  impersonate: "can impersonate",
  token: "can ask for a token of",
  tokenSecret: "can make and read a Secret with a token of",
  runPod: "can make pods that run as",
  enterPod: "can run programs in pods that run as",
  enterNode: "can run programs, through the kubelet, in pods that run as",
  certificate: "can get a client certificate of",
  bind: "can bind themselves to",
  escalate: "can write into a role of theirs",
};

/** `Group team can make pods that run as ServiceAccount shop/web: ClusterRole edit (/rules/3) by RoleBinding shop/edit`. */
export function stepText({ from, way, to, rights }: EscalationStep): string {
  const reasons = rights.map((each) => rightText(each)).join(" and ");
  return `${nodeText(from)} ${waySentences[way]} ${targetText(to)}: ${reasons}`;
}

function targetText(target: StepTarget): string {
  if (target.type === "subject") return nodeText(target.subject);
  const where = target.namespace === "" ? "the whole cluster" : `namespace ${target.namespace}`;
  return target.type === "role" ? `${nodeText(target.role)} in ${where}` : `every right in ${where}`;
}

function rightText({ rule, binding }: HeldRight): string {
  const what = rule ? `${nodeText(rule.role)} (${rule.at})` : "no rule is needed";
  return binding ? `${what} by ${nodeText(binding)}` : what;
}
