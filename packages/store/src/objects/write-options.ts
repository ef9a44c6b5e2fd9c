import type { ApiObject, Author, DesiredObjectOf, Kind, ManagedBy, ObjectOf, StatusOf } from "@bowline/api";

import type { NewAuditRecord } from "../records/audit-log.ts";
import type { Fence } from "./fence.ts";
import type { ObjectJson } from "./stored-object.ts";

/** An object as a client wants it, and what the server adds at the moment of writing. */
export type DesiredWrite<K extends Kind> = Omit<DesiredObjectOf<K>, "apiVersion" | "kind"> & {
  /** Left out, it stays as it is. */
  readonly status?: StatusOf<K>;
  /** Only looked at when the object is created; `writeFinalizers` changes them. */
  readonly finalizers?: readonly string[];
  /** Finds the object again by `findByLookupKey`; unique within the kind, never returned. */
  readonly lookupKey?: string;
  /** The mark of what comes from git; null takes it away. Left out, it stays as it is. */
  readonly managedBy?: ManagedBy | null | undefined;
};

/**
 * - `created`, `updated`: written
 * - `unchanged`: it was so already, nothing was written
 * - `deleting`: marked as deleted, its finalizers are to be done
 * - `deleted`: gone; the object is as it was last
 */
type WriteOutcome = "created" | "updated" | "unchanged" | "deleting" | "deleted";

export interface WriteResult<K extends Kind> {
  readonly outcome: WriteOutcome;
  readonly object: ObjectOf<K>;
}

export interface RepeatedCreate {
  readonly outcome: "repeated";
  readonly answer: ObjectJson;
}

export interface WriteOptions<K extends Kind> {
  /** A record to append in the same transaction; undefined for none. */
  readonly audit?: ((result: WriteResult<K>) => NewAuditRecord | undefined) | undefined;
  /**
   * Decides everything as if it were to be written, and writes nothing. The result is what would have been written,
   * except for the resourceVersion: that is the one the object has, or 0 when there is none.
   */
  readonly dryRun?: boolean | undefined;
  /** Whoever writes it, for kinds that record the author of a spec; written down if the spec changes or it is deleted. */
  readonly author?: Author | undefined;
  /** The grant of a lease under which this is written: `LeaseLost` when it was followed by another. */
  readonly fence?: Fence | undefined;
}

export interface CreateOnceOptions<K extends Kind> extends WriteOptions<K> {
  /** The answer that a repetition gets too. */
  readonly answer: (result: WriteResult<K>) => ObjectJson;
  readonly idempotency: {
    readonly actor: string;
    readonly key: string;
    /** Hash of the request: the same key with another request is a mistake. */
    readonly fingerprint: string;
    readonly ttlMs: number;
  };
}

export interface ConditionalWriteOptions<K extends Kind> extends WriteOptions<K> {
  /** `Conflict` when the object has another one, or is not there. */
  readonly resourceVersion?: string | undefined;
}

export interface StatusWriteOptions<K extends Kind> extends ConditionalWriteOptions<K> {
  /** The object the decision was made about; `NotFound` when the name belongs to another by now. */
  readonly id?: string | undefined;
}

export interface DeleteOptions<K extends Kind> extends Omit<ConditionalWriteOptions<K>, "audit"> {
  readonly cascade?: boolean | undefined;
  /** The object the decision was made about; `NotFound` when the name belongs to another by now. */
  readonly id?: string | undefined;
  /** Called with every object that is going to change, the one itself first; what it throws refuses all of it. */
  readonly check?: ((change: DeletionChange) => void) | undefined;
  /** Asked for a record of every object that changes. */
  readonly audit?: ((result: WriteResult<Kind>) => NewAuditRecord | undefined) | undefined;
}

/** The effect of a deletion on one object. */
export interface DeletionChange {
  readonly kind: Kind;
  readonly current: ApiObject;
  /** The new spec, for an object that stays. */
  readonly spec?: object | undefined;
  /** It goes as a part of another object: the right to delete that one is enough. */
  readonly isOwned?: boolean;
}

/** One of several changes that are made together; see `ObjectStore.writeAll`. */
export type ObjectWrite =
  | {
      readonly action: "write";
      readonly kind: Kind;
      readonly name: string;
      readonly decide: (current: ObjectOf<Kind> | undefined) => DesiredWrite<Kind>;
      readonly options: ConditionalWriteOptions<Kind>;
    }
  | {
      readonly action: "delete";
      readonly kind: Kind;
      readonly name: string;
      readonly options: DeleteOptions<Kind>;
    };
