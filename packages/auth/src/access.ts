import type { ApiObject, FieldRequirement, Kind } from "@bowline/api";

import type { DesiredWrite } from "@bowline/store";
import type { Identity } from "./identity.ts";

export type Verb = "get" | "list" | "watch" | "create" | "update" | "patch" | "delete" | "update-status";

/** Who somebody is and what they may do. Every request passes it. */
export interface Access {
  /**
   * `Unauthorized` when the header is missing, malformed, or names a token that is unknown, expired or revoked;
   * `Forbidden` for who is known to the issuer and has no role here; an error with status 503 when that cannot be found
   * out now. Answers at once for what it has seen before, and never from a memory older than a revocation that was
   * answered. What the same connection showed before is read quicker.
   */
  authenticate(authorization: string | undefined, connection?: object): Identity | Promise<Identity>;
  /** Aborts when what the identity stands on stops working: for streams that live longer than a request. */
  ended(identity: Identity): AbortSignal;
  /** `Forbidden` when the identity may never do this to objects of the kind. */
  allow(identity: Identity, verb: Verb, kind: Kind): void;
  /** `Forbidden` when the identity may not do this to the object as it is, or make it what it should be. */
  allowObject(identity: Identity, verb: Verb, kind: Kind, change: ObjectChange): void;
  /** The only objects of the kind that the identity may see, as requirements to be added to those of a list or watch. */
  visible(identity: Identity, kind: Kind): readonly FieldRequirement[];
  /** What the server adds when an object is created, such as the secret of a token. */
  issue<K extends Kind>(identity: Identity, kind: K, desired: DesiredWrite<K>): Issued<K>;
  /** Resolves when authentication knows this change: an answer to a revocation waits for it. */
  inEffect(kind: Kind, resourceVersion: string): Promise<void>;
}

export interface ObjectChange {
  readonly current?: Pick<ApiObject, "metadata" | "spec"> | undefined;
  /** What a client wants it to be, after validation. */
  readonly desired?: { readonly metadata: { readonly name: string }; readonly spec: object } | undefined;
}

export interface Issued<K extends Kind> {
  readonly desired: DesiredWrite<K>;
  /** Fields of the status that only the answer to the create carries. */
  readonly onlyInAnswer?: Readonly<Record<string, unknown>>;
}
