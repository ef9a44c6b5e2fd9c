import type { LabelSelectorObject } from "@bowline/core";

import { isNewer, Rivals } from "../graph/rivals.ts";
import { nodeKey, type NodeRef } from "../model/node.ts";
import type { EdgeFacts, ObjectFacts, PolicyRule, PropertyValue } from "../model/object-facts.ts";
import { subjectKey, subjectKeys, subjectOf, type UserInfo } from "./subject.ts";

type Labels = Readonly<Record<string, string>>;

/** A Role or ClusterRole. */
export interface RbacRole {
  readonly node: NodeRef;
  readonly rules: readonly PolicyRule[];
  readonly aggregates: readonly LabelSelectorObject[];
  readonly labels: Labels;
  readonly isCut: boolean;
}

/** A RoleBinding or ClusterRoleBinding. */
export interface RbacBinding {
  readonly node: NodeRef;
  /** Absent for a binding that names no role that Kubernetes knows of. */
  readonly role: { readonly node: NodeRef; readonly key: string; readonly at: string } | undefined;
  /** Each one once, as the first place names it. */
  readonly subjects: readonly BoundSubject[];
  readonly labels: Labels;
  readonly isCut: boolean;
}

export interface BoundSubject {
  readonly subject: NodeRef;
  readonly key: string;
  /** JSON pointer in the binding. */
  readonly at: string;
}

const roleKinds: ReadonlySet<string> = new Set(["Role", "ClusterRole"]);
const bindingKinds: ReadonlySet<string> = new Set(["RoleBinding", "ClusterRoleBinding"]);
const subjectKinds: ReadonlySet<string> = new Set(["User", "Group", "ServiceAccount"]);

/**
 * The roles and bindings of one cluster, so that nobody who is asked about has to look at all of them. A role that
 * changes costs nothing beside itself, a binding as much as it has subjects.
 */
export class Rbac {
  readonly #roles = new Map<string, RbacRole>();
  readonly #bindings = new Map<string, RbacBinding>();
  /** The empty namespace has the ClusterRoleBindings. */
  readonly #inNamespace = new Map<string, Set<RbacBinding>>();
  readonly #toSubject = new Map<string, Set<RbacBinding>>();
  readonly #ofRole = new Map<string, Set<RbacBinding>>();
  readonly #objects = new Map<string, ObjectFacts>();
  readonly #keyOfUid = new Map<string, string>();
  readonly #rivals = new Rivals();

  /**
   * Takes what an object says, in place of what it said before. Objects of other kinds say nothing here. Of two with the
   * same name the one that was made later counts, whichever arrives first.
   */
  replace(facts: ObjectFacts): void {
    if (!roleKinds.has(facts.node.kind) && !bindingKinds.has(facts.node.kind)) return;
    this.remove(facts.uid);
    const key = nodeKey(facts.node);
    const holder = this.#objects.get(key);
    if (holder && !isNewer(facts, holder)) {
      this.#rivals.add(key, facts);
      return;
    }
    if (holder) {
      this.#detach(key, holder);
      this.#rivals.add(key, holder);
    }
    this.#attach(key, facts);
  }

  /** An object is gone. One that was made again under the same name has another uid, and stays. */
  remove(uid: string): void {
    if (this.#rivals.remove(uid)) return;
    const key = this.#keyOfUid.get(uid);
    const facts = key === undefined ? undefined : this.#objects.get(key);
    if (key === undefined || !facts) return;
    this.#detach(key, facts);
    const next = this.#rivals.takeNewest(key);
    if (next) this.#attach(key, next);
  }

  get roles(): ReadonlyMap<string, RbacRole> {
    return this.#roles;
  }

  get bindings(): ReadonlyMap<string, RbacBinding> {
    return this.#bindings;
  }

  /** Roles and bindings that say more than was taken of them: answers may lack something. */
  get cut(): NodeRef[] {
    const all = [...this.#roles.values(), ...this.#bindings.values()];
    return all.filter(({ isCut }) => isCut).map(({ node }) => node);
  }

  /** Everybody whom a binding names, each once. */
  *subjects(): Generator<NodeRef> {
    for (const [key, bindings] of this.#toSubject) {
      const [binding] = bindings;
      const bound = binding?.subjects.find((each) => each.key === key);
      if (bound) yield bound.subject;
    }
  }

  /** The role that a binding gives, if it exists. */
  roleOf(binding: RbacBinding): RbacRole | undefined {
    return binding.role && this.#roles.get(binding.role.key);
  }

  /** Bindings whose rules are looked at for a request: those of the cluster, and those of its namespace. */
  *bindingsFor(namespace: string): Generator<RbacBinding> {
    yield* this.#inNamespace.get("") ?? [];
    if (namespace !== "") yield* this.#inNamespace.get(namespace) ?? [];
  }

  /** Bindings that give a role to somebody, by their name or by a group; each once, with whom it names. */
  *bindingsTo(user: UserInfo): Generator<readonly [RbacBinding, BoundSubject]> {
    const seen = new Set<RbacBinding>();
    for (const key of subjectKeys(user)) {
      for (const binding of this.#toSubject.get(key) ?? []) {
        if (seen.has(binding)) continue;
        seen.add(binding);
        const bound = binding.subjects.find((each) => each.key === key);
        if (bound) yield [binding, bound];
      }
    }
  }

  bindingsOfRole(role: NodeRef): Iterable<RbacBinding> {
    return this.#ofRole.get(nodeKey(role)) ?? [];
  }

  #attach(key: string, facts: ObjectFacts): void {
    this.#objects.set(key, facts);
    this.#keyOfUid.set(facts.uid, key);
    if (roleKinds.has(facts.node.kind)) {
      this.#roles.set(key, roleOf(facts));
      return;
    }
    const binding = bindingOf(facts);
    this.#bindings.set(key, binding);
    addTo(this.#inNamespace, binding.node.namespace, binding);
    for (const { key: subject } of binding.subjects) addTo(this.#toSubject, subject, binding);
    if (binding.role) addTo(this.#ofRole, binding.role.key, binding);
  }

  #detach(key: string, { uid }: ObjectFacts): void {
    this.#objects.delete(key);
    this.#keyOfUid.delete(uid);
    this.#roles.delete(key);
    const binding = this.#bindings.get(key);
    if (!binding) return;
    this.#bindings.delete(key);
    deleteFrom(this.#inNamespace, binding.node.namespace, binding);
    for (const { key: subject } of binding.subjects) deleteFrom(this.#toSubject, subject, binding);
    if (binding.role) deleteFrom(this.#ofRole, binding.role.key, binding);
  }
}

export function compileRbac(facts: Iterable<ObjectFacts>): Rbac {
  const rbac = new Rbac();
  for (const each of facts) rbac.replace(each);
  return rbac;
}

function roleOf({ node, rules = [], aggregates = [], properties, cut }: ObjectFacts): RbacRole {
  return { node, rules, aggregates, labels: labelsOf(properties["labels"]), isCut: cut !== undefined };
}

function bindingOf({ node, edges, properties, cut }: ObjectFacts): RbacBinding {
  const subjects = new Map<string, BoundSubject>();
  let role: RbacBinding["role"];
  for (const edge of edges) {
    if (typeof edge.to === "number") continue;
    if (edge.type === "GRANTS") role ??= { node: edge.to, key: nodeKey(edge.to), at: edge.at };
    if (edge.type !== "BINDS") continue;
    const bound = boundSubject(edge.to, edge, node);
    if (bound && !subjects.has(bound.key)) subjects.set(bound.key, bound);
  }
  const labels = labelsOf(properties["labels"]);
  return { node, role, subjects: [...subjects.values()], labels, isCut: cut !== undefined };
}

/** A ServiceAccount without a namespace is one of the binding's; a ClusterRoleBinding has none, and binds nobody so. */
function boundSubject(to: NodeRef, { at }: EdgeFacts, binding: NodeRef): BoundSubject | undefined {
  if (!subjectKinds.has(to.kind)) return undefined;
  const isHere = to.kind === "ServiceAccount" && to.namespace === "";
  if (isHere && binding.namespace === "") return undefined;
  const subject = subjectOf(isHere ? { ...to, namespace: binding.namespace } : to);
  return { subject, key: subjectKey(subject), at };
}

function labelsOf(value: PropertyValue | undefined): Labels {
  return isLabels(value) ? value : {};
}

function isLabels(value: PropertyValue | undefined): value is Labels {
  return typeof value === "object" && !Array.isArray(value);
}

function addTo<T>(index: Map<string, Set<T>>, key: string, value: T): void {
  const values = index.get(key);
  if (values) values.add(value);
  else index.set(key, new Set([value]));
}

function deleteFrom<T>(index: Map<string, Set<T>>, key: string, value: T): void {
  const values = index.get(key);
  if (!values?.delete(value)) return;
  if (values.size === 0) index.delete(key);
}
