import type { SimObject } from "../sim-api.ts";
import type { FieldProblem } from "../status-errors.ts";

/** What the server does to the objects of one kind beyond what it does to all. Every function returns a new object. */
export interface KindRules {
  /** Sets what only the server may set; sees the object with its name and uid. */
  readonly onCreate?: (object: SimObject, context: KindContext) => SimObject;
  readonly onUpdate?: (next: SimObject, live: SimObject, context: KindContext) => SimObject;
  /** Sees an update once more when it has its defaults and nothing else will change it. */
  readonly onAdmitted?: (next: SimObject, live: SimObject) => SimObject;
  /** What admission adds to an object that a client creates; writes of the simulation itself do not pass admission. */
  readonly onRequest?: (object: SimObject) => SimObject;
  /** What the schema cannot say; `writtenAs` is the version the client wrote in. */
  readonly validate?: (object: SimObject, writtenAs: string) => FieldProblem[];
}

export interface KindContext {
  /** The second number of the server's version. */
  readonly minorVersion: number;
  /** Objects of other kinds, for rules that depend on them. */
  readonly find: (resource: string, namespace: string | undefined, name: string) => SimObject | undefined;
  /** Reserves the given service address, or a free one; undefined when it is taken or none is left. */
  readonly allocateClusterIp: (asked: string | undefined) => string | undefined;
}
