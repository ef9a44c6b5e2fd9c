import { nodeKey } from "../model/node.ts";
import {
  isIn,
  isNamed,
  pairs,
  placeOf,
  type HeldRight,
  type HeldRights,
  type StepTarget,
  type Way,
} from "./escalation-step.ts";
import type { Rbac, RbacRole } from "./rbac.ts";
import { rightNames, rightsOf } from "./rights.ts";
import type { UserInfo } from "./subject.ts";

/** Rights that somebody can give themselves. */
export interface RightsInReach {
  readonly way: Way;
  readonly rights: readonly HeldRight[];
  readonly to: Exclude<StepTarget, { type: "subject" }>;
  readonly gains: readonly HeldRight[];
}

/** What somebody with these rights can bind themselves to, or write into a role they have. */
export class RoleWays {
  readonly #rbac: Rbac;
  readonly #namespaces: readonly string[];

  constructor(rbac: Rbac, namespaces: readonly string[]) {
    this.#rbac = rbac;
    this.#namespaces = namespaces;
  }

  *from(rights: HeldRights, user: UserInfo): Generator<RightsInReach> {
    yield* this.#byNewBindings(rights);
    yield* this.#byBindings(rights);
    yield* this.#escalated(rights, user);
  }

  *#byNewBindings(rights: HeldRights): Generator<RightsInReach> {
    const ofCluster = rights.inCluster("bindClusterRoles");
    for (const both of pairs(ofCluster, rights.inCluster("createClusterBindings"))) {
      for (const role of this.#roles(both[0], "")) yield bound(role, "", both);
    }
    const binds = [...rights.of("bindClusterRoles"), ...rights.of("bindRoles")];
    for (const both of pairs(binds, rights.of("createBindings"))) {
      const place = placeOf(both);
      const places = place === "" ? this.#namespaces : [place];
      for (const namespace of places) {
        for (const role of this.#roles(both[0], namespace)) yield bound(role, namespace, both);
      }
    }
  }

  /** By adding themselves to bindings that are there. */
  *#byBindings(rights: HeldRights): Generator<RightsInReach> {
    const binds = [...rights.of("bindClusterRoles"), ...rights.of("bindRoles")];
    const edits = [...rights.inCluster("changeClusterBindings"), ...rights.of("changeBindings")];
    for (const [bind, edit] of pairs(binds, edits)) {
      for (const binding of this.#rbac.bindings.values()) {
        const { kind, namespace, name } = binding.node;
        const role = this.#rbac.roleOf(binding);
        if (!role || kind !== (edit.right === "changeBindings" ? "RoleBinding" : "ClusterRoleBinding"))
          continue;
        const isEdited = isIn(edit, namespace) && isNamed(edit, name);
        const isBound = isIn(bind, namespace) && isNamed(bind, role.node.name) && isOfKind(bind, role);
        if (isEdited && isBound) yield bound(role, namespace, [bind, edit]);
      }
    }
  }

  *#escalated(rights: HeldRights, user: UserInfo): Generator<RightsInReach> {
    const ofCluster = pairs(rights.inCluster("escalateClusterRoles"), rights.inCluster("changeClusterRoles"));
    const ofNamespace = pairs(rights.of("escalateRoles"), rights.of("changeRoles"));
    if (ofCluster.length + ofNamespace.length === 0) return;
    for (const [binding] of this.#rbac.bindingsTo(user)) {
      const role = this.#rbac.roleOf(binding)?.node;
      if (!role) continue;
      const both = (role.kind === "Role" ? ofNamespace : ofCluster).find((pair) =>
        pair.every((each) => isNamed(each, role.name) && isIn(each, role.namespace)),
      );
      const { namespace } = binding.node;
      const gains = rightNames.map((right) => ({ right, namespace, names: [] }));
      if (both) yield { way: "escalate", rights: both, to: { type: "everything", namespace }, gains };
    }
  }

  /** Roles that a right to bind is for. Of all roles the one that allows everything is enough. */
  #roles(bind: HeldRight, namespace: string): RbacRole[] {
    const kind = bind.right === "bindRoles" ? "Role" : "ClusterRole";
    const place = kind === "Role" ? namespace : "";
    if (bind.names.length > 0) {
      return bind.names.flatMap(
        (name) => this.#rbac.roles.get(nodeKey({ kind, namespace: place, name })) ?? [],
      );
    }
    const all = [...this.#rbac.roles.values()].filter(
      ({ node }) => node.kind === kind && node.namespace === place,
    );
    const whole = all.find((role) => rightsOf(role).some(({ right }) => right === "everything"));
    return whole ? [whole] : all;
  }
}

function isOfKind({ right }: HeldRight, { node }: RbacRole): boolean {
  return node.kind === (right === "bindRoles" ? "Role" : "ClusterRole");
}

function bound(role: RbacRole, namespace: string, rights: readonly HeldRight[]): RightsInReach {
  const gains = rightsOf(role).map(({ right, index, names }) => {
    const rule = { role: role.node, index, at: `/rules/${index}` };
    return { right, namespace, names, rule };
  });
  return { way: "bind", rights, to: { type: "role", role: role.node, namespace }, gains };
}
