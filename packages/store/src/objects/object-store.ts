import type { ApiObject, DesiredObjectOf, FieldRequirement, Kind, ObjectOf, StatusOf } from "@bowline/api";
import type { LabelRequirement } from "@bowline/core";

import type { NewAuditRecord } from "../records/audit-log.ts";

/** Objects of all kinds alike. What comes in has been validated; what goes out never holds a secret, except `reveal`. */
export interface ObjectStore {
  get<K extends Kind>(kind: K, name: string): Promise<ObjectOf<K> | undefined>;
  /** The same as text, for those who only pass it on. */
  getJson(kind: Kind, name: string): Promise<ObjectJson | undefined>;
  /** The object with its secret fields, for the code that uses them. `DecryptionFailed` when the key is missing. */
  reveal<K extends Kind>(kind: K, name: string): Promise<ObjectOf<K> | undefined>;
  /** The object that was written with this lookup key, such as the hash of a token. */
  findByLookupKey<K extends Kind>(kind: K, lookupKey: string): Promise<ObjectOf<K> | undefined>;
  /**
   * A page in the order of names; it may be shorter than asked for when its objects are large, and then has a cursor.
   * `InvalidArgument` for a cursor that does not belong to this query.
   */
  list<K extends Kind>(kind: K, query?: ListQuery): Promise<ObjectPage<K>>;
  /** The same as texts. */
  listJson(kind: Kind, query?: ListQuery): Promise<JsonPage>;
  /** Objects whose generation nobody has observed, in the order of names within each kind. */
  listUnobserved(query: UnobservedQuery): Promise<UnobservedObject[]>;

  /** `AlreadyExists` when the name is taken; `Invalid` when an object that must exist does not. */
  create<K extends Kind>(
    kind: K,
    desired: DesiredWrite<K>,
    options?: WriteOptions<K>,
  ): Promise<WriteResult<K>>;
  /**
   * The same, once per idempotency key of an actor: a repetition gets the answer of the first time. `Invalid` when the
   * key was used for something else.
   */
  createOnce<K extends Kind>(
    kind: K,
    desired: DesiredWrite<K>,
    options: CreateOnceOptions<K>,
  ): Promise<WriteResult<K> | RepeatedCreate>;
  /**
   * Creates or updates. `decide` is told the current object and returns what it should be, or throws to refuse. It may
   * be called more than once, and nothing is written between the call and the commit. Secret fields it leaves out
   * stay as they are. What changes nothing is not written.
   */
  write<K extends Kind>(
    kind: K,
    name: string,
    decide: (current: ObjectOf<K> | undefined) => DesiredWrite<K>,
    options?: ConditionalWriteOptions<K>,
  ): Promise<WriteResult<K>>;
  /** Never changes the generation. `LeaseLost` when the fence's grant was followed by another. */
  writeStatus<K extends Kind>(
    kind: K,
    name: string,
    decide: (current: ObjectOf<K>) => StatusOf<K>,
    options?: StatusWriteOptions<K>,
  ): Promise<WriteResult<K>>;
  /** An object whose deletion was asked for goes when its last finalizer does. */
  writeFinalizers<K extends Kind>(
    kind: K,
    name: string,
    decide: (current: ObjectOf<K>) => readonly string[],
    options?: StatusWriteOptions<K>,
  ): Promise<WriteResult<K>>;
  /**
   * Removes the object, or marks it as deleted while it has finalizers. `StillReferenced`, with `details.blockedBy`,
   * while others refer to it, unless `cascade` says to deal with them, all in one transaction.
   */
  delete<K extends Kind>(kind: K, name: string, options?: DeleteOptions<K>): Promise<WriteResult<K>>;
}

/** What a client decided, and what the server adds at the moment of writing. */
export type DesiredWrite<K extends Kind> = Omit<DesiredObjectOf<K>, "apiVersion" | "kind"> & {
  /** Left out, it stays as it is. */
  readonly status?: StatusOf<K>;
  /** Only looked at when the object is created; `writeFinalizers` changes them. */
  readonly finalizers?: readonly string[];
  /** Finds the object again by `findByLookupKey`; unique within the kind, never returned. */
  readonly lookupKey?: string;
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
}

export interface CreateOnceOptions<K extends Kind> extends WriteOptions<K> {
  /** What a repetition is answered with. */
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
  /** The grant of a lease under which this is written. */
  readonly fence?: { readonly key: string; readonly token: number } | undefined;
  /** The object the decision was made about; `NotFound` when the name belongs to another by now. */
  readonly id?: string | undefined;
}

export interface DeleteOptions<K extends Kind> extends Omit<ConditionalWriteOptions<K>, "audit"> {
  readonly cascade?: boolean | undefined;
  /** Told every object that is going to change, the one itself first; what it throws refuses all of it. */
  readonly check?: ((change: DeletionChange) => void) | undefined;
  /** Asked for a record of every object that changes. */
  readonly audit?: ((result: WriteResult<Kind>) => NewAuditRecord | undefined) | undefined;
}

/** What a deletion means for one object. */
export interface DeletionChange {
  readonly kind: Kind;
  readonly current: ApiObject;
  /** What its spec becomes, for an object that stays. */
  readonly spec?: object | undefined;
}

export interface ListQuery {
  readonly labels?: readonly LabelRequirement[] | undefined;
  readonly fields?: readonly FieldRequirement[] | undefined;
  /** `pageLimits` of the API when not given. */
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

/** An object as the API returns it. */
export interface ObjectJson {
  readonly json: string;
  readonly resourceVersion: string;
}

export type ObjectPage<K extends Kind> = Page<ObjectOf<K>>;
export type JsonPage = Page<string>;

interface Page<Item> {
  readonly items: readonly Item[];
  /** How many match on all pages, counted when the first page was read. */
  readonly total: number;
  /** Missing on the last page. */
  readonly cursor?: string;
  /** As new as the first page: a watch from here misses nothing, whichever page it was read with. */
  readonly resourceVersion: string;
}

export interface UnobservedQuery {
  readonly kinds: readonly Kind[];
  readonly limit: number;
  /** The last of the page before. */
  readonly after?: UnobservedObject | undefined;
}

export interface UnobservedObject {
  readonly kind: string;
  readonly name: string;
  readonly generation: number;
}

/** A field of an object that holds the name of another. */
export interface ObjectReference {
  readonly kind: string;
  readonly name: string;
  readonly field: string;
}
