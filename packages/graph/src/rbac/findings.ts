import type { NodeRef } from "../model/node.ts";
import type { PolicyRule } from "../model/object-facts.ts";
import { compareNodes, nodeText } from "./access.ts";
import { boundAccounts, stepText } from "./becomes.ts";
import type { EscalationStep } from "./escalation-step.ts";
import { Escalation } from "./escalation.ts";
import { compareFindings, finding, type Evidence, type RbacFinding, type Severity } from "./finding.ts";
import { publicFindings } from "./public-access.ts";
import type { Rbac, RbacBinding, RbacRole } from "./rbac.ts";
import { rightsOf, type RightName } from "./rights.ts";
import { ruleKey, ruleText } from "./rule.ts";
import type { KnownAccounts } from "./subject-ways.ts";
import { mastersGroup, subjectKey, userOf } from "./subject.ts";

export interface FindingOptions {
  /** ServiceAccounts that exist and the pods that run as them; without it, those that bindings speak of. */
  readonly accounts?: KnownAccounts | undefined;
  /** Whether roles of a kind are seen in a namespace: of others nobody can say that one is missing. */
  readonly isObserved?: ((kind: string, namespace: string) => boolean) | undefined;
}

/** Whatever in the roles and bindings of a cluster gives more than it should be trusted with, the worst first. */
export function rbacFindings(rbac: Rbac, options: FindingOptions = {}): RbacFinding[] {
  const { accounts = boundAccounts(rbac), isObserved = () => true } = options;
  const ofRoles = [...rbac.roles.values()].flatMap((role) => roleFindings(rbac, role));
  const ofBindings = [...rbac.bindings.values()].flatMap((binding) => [
    ...missingRoleFindings(rbac, binding, isObserved),
    ...wideFindings(rbac, binding),
    ...publicFindings(rbac, binding),
  ]);
  return [...ofRoles, ...ofBindings, ...powerFindings(rbac, accounts)].toSorted(compareFindings);
}

/** What Kubernetes itself makes when an API server starts. */
function isBuiltIn({ labels }: RbacRole | RbacBinding): boolean {
  return labels["kubernetes.io/bootstrapping"] === "rbac-defaults";
}

type Steal = "Escalate" | "Bind" | "Impersonate";

const stealing: Readonly<Partial<Record<RightName, Steal>>> = {
  escalateClusterRoles: "Escalate",
  escalateRoles: "Escalate",
  bindClusterRoles: "Bind",
  bindRoles: "Bind",
  impersonateUsers: "Impersonate",
  impersonateGroups: "Impersonate",
  impersonateAccounts: "Impersonate",
};

const stealSentences: Readonly<Record<Steal, string>> = {
  Escalate: "lets its holders write rights into roles that they do not have themselves",
  Bind: "lets its holders bind roles whose rights they do not have themselves",
  Impersonate: "lets its holders act as somebody else",
};

function roleFindings(rbac: Rbac, role: RbacRole): RbacFinding[] {
  const found = rightsOf(role);
  return [...role.rules.entries()].flatMap(([index, rule]) => {
    const given = found.filter((each) => each.index === index).map((each) => each.right);
    // A rule for everything is for all of these, too: one finding is enough.
    const steals = given.includes("everything") ? [] : given.flatMap((each) => stealing[each] ?? []);
    const sentences = [...new Set(steals)].map((code) => [code, "high", stealSentences[code]] as const);
    const wildcard = wildcardOf(rule);
    const wild = wildcard ? [["Wildcard", ...wildcard] as const] : [];
    return [...wild, ...sentences].map(([code, severity, sentence]) => {
      const bindings = [...rbac.bindingsOfRole(role.node)]
        .filter(({ subjects }) => subjects.length > 0)
        .sort((one, other) => compareNodes(one.node, other.node));
      return finding({
        code,
        // Nobody has it yet.
        severity: bindings.length === 0 ? "low" : severity,
        node: role.node,
        detail: ruleKey(rule),
        message: `${nodeText(role.node)}: the rule "${ruleText(rule)}" ${sentence}.`,
        evidence: [{ node: role.node, at: `/rules/${index}` }, ...bindings.map((each) => roleRefOf(each))],
        isBuiltIn: isBuiltIn(role),
      });
    });
  });
}

function roleRefOf({ node, role }: RbacBinding): Evidence {
  return { node, at: role?.at ?? "" };
}

function wildcardOf(rule: PolicyRule): readonly [Severity, string] | undefined {
  const has = (field: keyof PolicyRule): boolean => rule[field].includes("*");
  if (rule.resources.length > 0) {
    if (has("verbs") && has("resources"))
      return ["high", "allows every verb on every resource of its groups"];
    if (has("verbs")) return ["medium", "allows every verb, those that are yet to come included"];
    if (has("resources"))
      return ["medium", "is for every resource of its groups, Secrets and new ones included"];
    if (has("apiGroups")) return ["medium", "is for every group, whatever else has resources of that name"];
    return undefined;
  }
  return has("nonResourceURLs") ? ["low", "is for every path that is no resource"] : undefined;
}

function missingRoleFindings(
  rbac: Rbac,
  binding: RbacBinding,
  isObserved: (kind: string, namespace: string) => boolean,
): RbacFinding[] {
  const { role, node } = binding;
  if (!role || rbac.roleOf(binding) || !isObserved(role.node.kind, role.node.namespace)) return [];
  const message = `${nodeText(node)} gives ${nodeText(role.node)}, which does not exist: it grants nothing until somebody makes it.`;
  const evidence = [{ node, at: role.at }];
  return [
    finding({
      code: "MissingRole",
      severity: "low",
      node,
      detail: role.key,
      message,
      evidence,
      isBuiltIn: isBuiltIn(binding),
    }),
  ];
}

/** Rights that are usual in a namespace, and too much in all of them. */
const wideRights: Readonly<Partial<Record<RightName, readonly [Severity, string]>>> = {
  readSecrets: ["high", "read every Secret"],
  createTokens: ["high", "get a token of every ServiceAccount"],
  createPods: ["high", "run pods as every ServiceAccount"],
  createApps: ["high", "run pods as every ServiceAccount"],
  createJobs: ["high", "run pods as every ServiceAccount"],
  execPods: ["high", "run programs in every pod"],
  changePods: ["high", "change the containers of every pod"],
  proxyNodes: ["high", "run programs in every pod, through its node"],
};

function wideFindings(rbac: Rbac, binding: RbacBinding): RbacFinding[] {
  const role = rbac.roleOf(binding);
  if (!role || binding.node.namespace !== "" || binding.subjects.length === 0) return [];
  const found = rightsOf(role);
  // That is another finding.
  if (found.some(({ right }) => right === "everything")) return [];
  const byDeed = Map.groupBy(
    found.filter(({ right, names }) => names.length === 0 && wideRights[right]),
    ({ right }) => wideRights[right]?.[1] ?? "",
  );
  const who = binding.subjects.map(({ subject }) => nodeText(subject)).join(", ");
  return [...byDeed].map(([deed, rights]) =>
    finding({
      code: "WideAccess",
      severity: "high",
      node: binding.node,
      detail: deed,
      message: `${nodeText(binding.node)} lets ${who} ${deed} of the cluster.`,
      evidence: [...new Set(rights.map(({ index }) => index))].map((index) => ({
        node: role.node,
        at: `/rules/${index}`,
      })),
      isBuiltIn: isBuiltIn(binding) && isBuiltIn(role),
    }),
  );
}

/** Whoever may do everything or gets there, by what the rules say and whatever the roles are called. */
function powerFindings(rbac: Rbac, accounts: KnownAccounts): RbacFinding[] {
  const powerless = new Set<string>();
  const powerful = new Map<string, readonly EscalationStep[]>();
  const subjects = [...rbac.subjects()].sort(compareNodes);
  return subjects.flatMap((subject) => {
    if (powerless.has(subjectKey(subject))) return [];
    const escalation = new Escalation(rbac, accounts, { powerless, powerful });
    escalation.walk(subject, userOf(subject));
    const { master } = escalation;
    if (master) {
      const path = [...escalation.pathTo(master), ...(powerful.get(subjectKey(master)) ?? [])];
      powerful.set(subjectKey(subject), path);
      return [powerFinding(rbac, subject, path)];
    }
    // Walks of others end where one has ended in vain.
    for (const key of escalation.reached) powerless.add(key);
    return [];
  });
}

function powerFinding(rbac: Rbac, subject: NodeRef, path: readonly EscalationStep[]): RbacFinding {
  const isDirect = path.length === 0;
  const bindings = [...rbac.bindingsTo(userOf(subject))].filter(([binding]) => isWhole(rbac, binding));
  const ofSteps = path.flatMap(({ rights }) =>
    rights.flatMap(({ rule, binding }) => [
      ...(rule ? [{ node: rule.role, at: rule.at }] : []),
      ...(binding ? [{ node: binding, at: "/roleRef" }] : []),
    ]),
  );
  const steps = path.map((each) => stepText(each)).join("; then ");
  return finding({
    code: isDirect ? "ClusterAdmin" : "BecomesClusterAdmin",
    severity: isDirect ? "critical" : "high",
    node: subject,
    detail: "",
    message: isDirect
      ? `${nodeText(subject)} may do everything in the cluster.`
      : `${nodeText(subject)} can get to where everything is allowed: ${steps}.`,
    evidence: isDirect ? bindings.map(([binding, { at }]) => ({ node: binding.node, at })) : ofSteps,
    isBuiltIn: subject.name === mastersGroup || isOfKubernetes(rbac, subject),
  });
}

function isWhole(rbac: Rbac, binding: RbacBinding): boolean {
  const role = rbac.roleOf(binding);
  return (
    binding.node.namespace === "" &&
    role !== undefined &&
    rightsOf(role).some(({ right }) => right === "everything")
  );
}

/** All it has comes from bindings that Kubernetes made. */
function isOfKubernetes(rbac: Rbac, subject: NodeRef): boolean {
  return [...rbac.bindingsTo(userOf(subject))].every(([binding]) => isBuiltIn(binding));
}
