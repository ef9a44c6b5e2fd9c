import type { NodeRef } from "../model/node.ts";
import type { RightName } from "./rights.ts";
import type { RuleRef } from "./rule.ts";

/**
 * - `impersonate`: says to be somebody else in a request
 * - `token`: asks for a token of a ServiceAccount
 * - `tokenSecret`: makes a Secret into which a controller puts a token of a ServiceAccount, and reads it
 * - `runPod`: makes a pod, or has one made, that runs as a ServiceAccount of its namespace
 * - `enterPod`: runs something in a pod that is there, and so with its token
 * - `enterNode`: does so through the kubelet of its node
 * - `certificate`: asks for a client certificate of anybody, and approves it
 * - `bind`: gives a role to themselves
 * - `escalate`: writes further rules into a role that they have
 */
export type Way =
  | "impersonate"
  | "token"
  | "tokenSecret"
  | "runPod"
  | "enterPod"
  | "enterNode"
  | "certificate"
  | "bind"
  | "escalate";

/**
 * What a step leads to: somebody else; a role of theirs in a namespace or, where that is empty, in the cluster; or
 * every right there.
 */
export type StepTarget =
  | { readonly type: "subject"; readonly subject: NodeRef }
  | { readonly type: "role"; readonly role: NodeRef; readonly namespace: string }
  | { readonly type: "everything"; readonly namespace: string };

/** A right that makes a step possible, and where it is from. */
export interface HeldRight {
  readonly right: RightName;
  /** Where it holds: empty for the whole cluster. */
  readonly namespace: string;
  /** The objects it is for; empty for all of them. */
  readonly names: readonly string[];
  /** Absent where no rule is needed, or where any could be written. */
  readonly rule?: RuleRef | undefined;
  /** Absent for what comes by an earlier step. */
  readonly binding?: NodeRef | undefined;
  readonly since?: EscalationStep | undefined;
}

export interface EscalationStep {
  readonly from: NodeRef;
  readonly way: Way;
  readonly to: StepTarget;
  readonly rights: readonly HeldRight[];
}

/** The rights of somebody, as a way to go further looks for them. */
export class HeldRights {
  readonly #rights: readonly HeldRight[];

  constructor(rights: readonly HeldRight[]) {
    this.#rights = rights;
  }

  get all(): readonly HeldRight[] {
    return this.#rights;
  }

  of(right: RightName): HeldRight[] {
    return this.#rights.filter((each) => each.right === right);
  }

  /** For what is in no namespace, rights in one are none. */
  inCluster(right: RightName): HeldRight[] {
    return this.#rights.filter((each) => each.right === right && each.namespace === "");
  }
}

/** Both rights in the same place. */
export function pairs(ones: readonly HeldRight[], others: readonly HeldRight[]): [HeldRight, HeldRight][] {
  return ones.flatMap((one) =>
    others
      .filter((other) => isIn(one, other.namespace) || isIn(other, one.namespace))
      .map((other): [HeldRight, HeldRight] => [one, other]),
  );
}

/** Where all of them hold: the one namespace, or empty for all namespaces. */
export function placeOf(rights: readonly HeldRight[]): string {
  return rights.find(({ namespace }) => namespace !== "")?.namespace ?? "";
}

export function isIn({ namespace }: HeldRight, place: string): boolean {
  return namespace === "" || namespace === place;
}

export function isNamed({ names }: HeldRight, name: string): boolean {
  return names.length === 0 || names.includes(name);
}
