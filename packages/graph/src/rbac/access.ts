import type { NodeRef } from "../model/node.ts";
import type { PolicyRule } from "../model/object-facts.ts";
import type { BoundSubject, Rbac, RbacBinding, RbacRole } from "./rbac.ts";
import { ruleAllows, ruleText, type AccessRequest, type RuleRef } from "./rule.ts";
import { groupRef, mastersGroup, subjectKey, subjectKeys, userOf, type UserInfo } from "./subject.ts";

/** A rule that somebody has, and through which binding. */
export interface Grant {
  /** Where it holds: empty for the whole cluster. */
  readonly namespace: string;
  readonly binding: NodeRef;
  /** Whom the binding names, and the JSON pointer to where it does. */
  readonly subject: NodeRef;
  readonly subjectAt: string;
  readonly rule: RuleRef;
  readonly policy: PolicyRule;
}

export interface AccessAnswer {
  readonly isAllowed: boolean;
  /** A sentence for people. */
  readonly reason: string;
  /** Absent where nothing allows it, and for members of `system:masters`, whom no rule has to. */
  readonly grant?: Grant;
}

/** Whether the API server would let somebody do something, who is exactly in the groups that are given. */
export function allows(rbac: Rbac, user: UserInfo, request: AccessRequest): AccessAnswer {
  if (user.groups.includes(mastersGroup)) {
    return { isAllowed: true, reason: `members of ${mastersGroup} may do everything` };
  }
  const namespace = namespaceOf(request);
  for (const [binding, bound] of rbac.bindingsTo(user)) {
    if (!isFor(binding, namespace)) continue;
    const role = rbac.roleOf(binding);
    const rule = role?.rules.entries().find(([, each]) => ruleAllows(each, request));
    if (!role || !rule) continue;
    const grant = grantOf(binding, bound, role, rule);
    return { isAllowed: true, reason: grantText(grant), grant };
  }
  return { isAllowed: false, reason: "no rule allows it" };
}

/** Somebody who may do what was asked about. */
export interface AccessHolder {
  readonly subject: NodeRef;
  /** Every rule that says so; none for `system:masters`. */
  readonly grants: readonly Grant[];
}

/** The answer to who can do something: everybody whom a binding names, and whoever is in their groups. */
export class AccessHolders {
  readonly #holders: ReadonlyMap<string, AccessHolder>;

  constructor(holders: ReadonlyMap<string, AccessHolder>) {
    this.#holders = holders;
  }

  /** Ordered by kind, namespace and name, so that the same rules give the same list in whatever order they came. */
  get list(): AccessHolder[] {
    return [...this.#holders.values()]
      .map(({ subject, grants }) => ({ subject, grants: grants.toSorted(compareGrants) }))
      .sort((one, other) => compareNodes(one.subject, other.subject));
  }

  /** Through which of the holders somebody may do it; none, if they may not. */
  of(user: UserInfo): AccessHolder[] {
    return subjectKeys(user).flatMap((key) => this.#holders.get(key) ?? []);
  }
}

/**
 * Who may do something: in the namespace of the request or, `anywhere`, in any of them, which the grants then tell
 * apart.
 */
export function whoCan(rbac: Rbac, request: AccessRequest, where?: "anywhere"): AccessHolders {
  const masters = groupRef(mastersGroup);
  const holders = new Map<string, { subject: NodeRef; grants: Grant[] }>();
  holders.set(subjectKey(masters), { subject: masters, grants: [] });
  const isAnywhere = where === "anywhere" && !("nonResourceURL" in request);
  const found = isAnywhere ? allowingAnywhere(rbac, request) : allowingIn(rbac, request);
  for (const { binding, role, rules } of found) {
    for (const bound of binding.subjects) {
      const grants = rules.map((rule) => grantOf(binding, bound, role, rule));
      const known = holders.get(bound.key);
      if (known) known.grants.push(...grants);
      else holders.set(bound.key, { subject: bound.subject, grants });
    }
  }
  return new AccessHolders(holders);
}

/** A binding whose role has rules that allow what was asked about. */
interface AllowingBinding {
  readonly binding: RbacBinding;
  readonly role: RbacRole;
  readonly rules: readonly IndexedRule[];
}

/** From the bindings that count in a place, which are few, to their roles. */
function* allowingIn(rbac: Rbac, request: AccessRequest): Generator<AllowingBinding> {
  const allowing = new Map<RbacRole, readonly IndexedRule[]>();
  for (const binding of rbac.bindingsFor(namespaceOf(request))) {
    const role = rbac.roleOf(binding);
    if (!role) continue;
    let rules = allowing.get(role);
    if (!rules) allowing.set(role, (rules = rulesAllowing(role, request)));
    if (rules.length > 0) yield { binding, role, rules };
  }
}

/** Where every binding counts, from the roles to theirs: most roles allow nothing of it. */
function* allowingAnywhere(rbac: Rbac, request: AccessRequest): Generator<AllowingBinding> {
  for (const role of rbac.roles.values()) {
    const rules = rulesAllowing(role, request);
    if (rules.length === 0) continue;
    for (const binding of rbac.bindingsOfRole(role.node)) yield { binding, role, rules };
  }
}

/** What somebody may do, by where. */
export interface EffectiveRules {
  /** No rule is asked for: a member of `system:masters`. */
  readonly isMaster: boolean;
  readonly everywhere: readonly Grant[];
  readonly byNamespace: ReadonlyMap<string, readonly Grant[]>;
  /** Bindings that would give them a role that does not exist. */
  readonly missing: readonly NodeRef[];
}

/** Every rule that a subject has, by themselves and by their groups, those included that everybody is in. */
export function whatCan(rbac: Rbac, subject: NodeRef | UserInfo): EffectiveRules {
  const user = "kind" in subject ? userOf(subject) : subject;
  const byNamespace = new Map<string, Grant[]>();
  const missing: NodeRef[] = [];
  for (const [binding, bound] of rbac.bindingsTo(user)) {
    const role = rbac.roleOf(binding);
    if (!role) missing.push(binding.node);
    for (const grant of role ? grantsOf(binding, bound, role) : []) {
      const grants = byNamespace.get(grant.namespace);
      if (grants) grants.push(grant);
      else byNamespace.set(grant.namespace, [grant]);
    }
  }
  const everywhere = byNamespace.get("") ?? [];
  byNamespace.delete("");
  return { isMaster: user.groups.includes(mastersGroup), everywhere, byNamespace, missing };
}

type IndexedRule = readonly [index: number, rule: PolicyRule];

/** A plain loop: it runs for every role that somebody has, and helpers of iterators are several times slower. */
function rulesAllowing({ rules }: RbacRole, request: AccessRequest): IndexedRule[] {
  const found: IndexedRule[] = [];
  for (let index = 0; index < rules.length; index += 1) {
    const rule = rules[index];
    if (rule && ruleAllows(rule, request)) found.push([index, rule]);
  }
  return found;
}

/** What a binding gives to one of its subjects. Paths are in no namespace: a RoleBinding gives none of them. */
function grantsOf(binding: RbacBinding, bound: BoundSubject, role: RbacRole): Grant[] {
  const isForPaths = binding.node.namespace === "";
  const rules = role.rules
    .entries()
    .filter(([, { verbs, resources }]) => verbs.length > 0 && (isForPaths || resources.length > 0));
  return rules.map((rule) => grantOf(binding, bound, role, rule)).toArray();
}

function grantOf(
  { node }: RbacBinding,
  { subject, at }: BoundSubject,
  role: RbacRole,
  [index, policy]: IndexedRule,
): Grant {
  const rule = { role: role.node, index, at: `/rules/${index}` };
  return { namespace: node.namespace, binding: node, subject, subjectAt: at, rule, policy };
}

/** A path is in no namespace. */
function namespaceOf(request: AccessRequest): string {
  return "nonResourceURL" in request ? "" : (request.namespace ?? "");
}

function isFor({ node }: RbacBinding, namespace: string): boolean {
  return node.namespace === "" || node.namespace === namespace;
}

/** `RoleBinding shop/readers gives Group team the rule get,list secrets of Role shop/reader (/rules/0)`. */
function grantText({ binding, subject, rule, policy }: Grant): string {
  return `${nodeText(binding)} gives ${nodeText(subject)} the rule "${ruleText(policy)}" of ${nodeText(rule.role)} (${rule.at})`;
}

export function nodeText({ kind, namespace, name }: NodeRef): string {
  return namespace === "" ? `${kind} ${name}` : `${kind} ${namespace}/${name}`;
}

function compareGrants(one: Grant, other: Grant): number {
  return compareNodes(one.binding, other.binding) || one.rule.index - other.rule.index;
}

export function compareNodes(one: NodeRef, other: NodeRef): number {
  return (
    compareText(one.kind, other.kind) ||
    compareText(one.namespace, other.namespace) ||
    compareText(one.name, other.name)
  );
}

function compareText(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
