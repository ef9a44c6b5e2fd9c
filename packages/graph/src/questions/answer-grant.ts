import type { PolicyRule } from "../model/object-facts.ts";
import type { Grant } from "../rbac/access.ts";
import type { Rbac } from "../rbac/rbac.ts";
import { ruleOrigins } from "../rbac/rule-origins.ts";
import { ruleText } from "../rbac/rule.ts";
import { isWithheld, refNode, type AnswerNode, type Asking } from "./asking.ts";

/** A rule that somebody has, as answers tell it. */
export interface AnswerGrant {
  /** Where it holds: empty for the whole cluster. */
  readonly namespace: string;
  readonly binding: AnswerNode;
  readonly role: AnswerNode;
  /** JSON pointer in the role; empty where that is withheld. */
  readonly at: string;
  /** Absent where the role is withheld. */
  readonly rule?: PolicyRule;
  /** `get,list secrets named db`. */
  readonly text?: string;
  /** Where the rule was written, if the role gathers those of others. */
  readonly origins?: readonly { readonly role: AnswerNode; readonly at: string }[];
}

/** Undefined where the binding is withheld: nobody learns who is bound elsewhere. */
export function answerGrant(
  asking: Asking,
  cluster: string,
  rbac: Rbac,
  grant: Grant,
): AnswerGrant | undefined {
  const binding = refNode(asking, cluster, grant.binding);
  if (isWithheld(binding)) return undefined;
  const role = refNode(asking, cluster, grant.rule.role);
  const { namespace } = grant;
  if (isWithheld(role)) return { namespace, binding, role, at: "" };
  const origins = ruleOrigins(rbac, grant.rule).map(({ role: origin, at }) => ({
    role: refNode(asking, cluster, origin),
    at,
  }));
  return {
    namespace,
    binding,
    role,
    at: grant.rule.at,
    rule: bounded(grant.policy),
    text: ruleText(bounded(grant.policy)),
    ...(origins.length === 0 ? {} : { origins: origins.slice(0, originsTold) }),
  };
}

const originsTold = 10;
/** A rule may list a thousand names. */
const wordsTold = 100;

function bounded(rule: PolicyRule): PolicyRule {
  const first = (words: readonly string[]): readonly string[] => words.slice(0, wordsTold);
  return {
    verbs: first(rule.verbs),
    apiGroups: first(rule.apiGroups),
    resources: first(rule.resources),
    resourceNames: first(rule.resourceNames),
    nonResourceURLs: first(rule.nonResourceURLs),
  };
}
