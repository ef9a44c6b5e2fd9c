import { joinSecrets, type Kind, type ObjectOf, type StatusOf } from "@bowline/api";
import { sql } from "kysely";

import { selectRows } from "../engine/bulk-statement.ts";
import type { Engine } from "../engine/engine.ts";
import {
  firstRowOf,
  rowsByKey,
  rowsOf,
  type Row,
  type SqlStatement,
  type Transaction,
} from "../engine/transaction.ts";
import { openSecrets } from "../secrets/object-secrets.ts";
import type { Committer } from "./committer.ts";
import { ObjectLister, type JsonPage, type ListQuery, type ObjectPage } from "./object-lister.ts";
import type { WriteContext } from "./operations/apply-decision.ts";
import { createObject, createObjectOnce } from "./operations/create-object.ts";
import { deleteObject } from "./operations/delete-object.ts";
import { modifyObject } from "./operations/modify-object.ts";
import { writeObject } from "./operations/write-object.ts";
import { writeObjects } from "./operations/write-objects.ts";
import { readObject, storedObjectOf, typed, type ObjectJson } from "./stored-object.ts";
import type {
  ConditionalWriteOptions,
  CreateOnceOptions,
  DeleteOptions,
  DesiredWrite,
  ObjectWrite,
  RepeatedCreate,
  StatusWriteOptions,
  WriteOptions,
  WriteResult,
} from "./write-options.ts";

export interface KeyQuery {
  readonly kinds: readonly Kind[];
  readonly limit: number;
  /** The last of the page before. */
  readonly after?: ObjectGeneration | undefined;
}

export interface ObjectGeneration {
  readonly kind: string;
  readonly name: string;
  readonly generation: number;
}

/**
 * Objects of all kinds alike. What comes in has been validated; what goes out never holds a secret, except `reveal`.
 *
 * Reads go straight to the database; writes become operations that the committer commits together.
 */
export class ObjectStore {
  readonly #engine: Engine;
  readonly #lister: ObjectLister;
  readonly #committer: Committer;
  readonly #context: WriteContext;
  /** Built once: for a query as small as this one, building it costs as much as running it. */
  readonly #getSql: string;

  constructor(engine: Engine, committer: Committer, context: WriteContext) {
    this.#engine = engine;
    this.#lister = new ObjectLister(engine);
    this.#committer = committer;
    this.#context = context;
    this.#getSql = bodyQuery(engine.queries).where("name", "=", "").compile().sql;
  }

  async get<K extends Kind>(kind: K, name: string): Promise<ObjectOf<K> | undefined> {
    const found = await this.getJson(kind, name);
    return found === undefined ? undefined : readObject(kind, found.json);
  }

  /** The same as text, for a caller that only passes it on. */
  async getJson(kind: Kind, name: string): Promise<ObjectJson | undefined> {
    const statement = { sql: this.#getSql, parameters: [kind.kind, name] };
    const [row] = await this.#engine.read(() => rowsFor(statement));
    if (row === undefined) return undefined;
    return { json: String(row["body"]), resourceVersion: String(row["resource_version"]) };
  }

  /** The object with its secret fields, for the code that uses them. `DecryptionFailed` when the key is missing. */
  async reveal<K extends Kind>(kind: K, name: string): Promise<ObjectOf<K> | undefined> {
    const key = selectRows("objects", ["kind", "name"], [{ kind: kind.kind, name }]);
    const [row] = await this.#engine.read(() => rowsByKey(key));
    if (row === undefined) return undefined;
    const { object, secrets } = storedObjectOf(kind, row);
    const opened = openSecrets(this.#context.keys, { kind: kind.kind, id: row.id }, secrets);
    return typed(kind, { ...object, spec: joinSecrets(kind, object.spec, opened) });
  }

  /** The object that was written with this lookup key, such as the hash of a token. */
  async findByLookupKey<K extends Kind>(kind: K, lookupKey: string): Promise<ObjectOf<K> | undefined> {
    const query = bodyQuery(this.#engine.queries, kind.kind).where("lookup_key", "=", lookupKey);
    const row = await this.#engine.read(() => firstRowOf(query));
    return row === undefined ? undefined : readObject(kind, row.body);
  }

  /**
   * A page in the order of names; it may be shorter than asked for when its objects are large, and then has a cursor.
   * `InvalidArgument` for a cursor that does not belong to this query.
   */
  async list<K extends Kind>(kind: K, query?: ListQuery): Promise<ObjectPage<K>> {
    const page = await this.listJson(kind, query);
    return { ...page, items: page.items.map((json) => readObject(kind, json)) };
  }

  /** The same as texts. */
  listJson(kind: Kind, query?: ListQuery): Promise<JsonPage> {
    return this.#lister.listJson(kind, query);
  }

  /** The names of all objects that a selector means, in their order. Reads no bodies, so there may be thousands. */
  listNames(kind: Kind, selection: Pick<ListQuery, "labels" | "fields"> = {}): Promise<string[]> {
    return this.#lister.listNames(kind, selection);
  }

  /** Objects in the order of names within each kind. */
  async listKeys(query: KeyQuery): Promise<ObjectGeneration[]> {
    if (query.kinds.length === 0) return [];
    return this.#engine.read(() => rowsOf(keysQuery(this.#engine.queries, query)));
  }

  /** Of those the ones whose generation nobody has observed. */
  async listUnobserved(query: KeyQuery): Promise<ObjectGeneration[]> {
    if (query.kinds.length === 0) return [];
    // Word for word the condition of the index.
    const unobserved = sql<boolean>`observed_generation <> generation`;
    return this.#engine.read(() => rowsOf(keysQuery(this.#engine.queries, query).where(unobserved)));
  }

  /** `AlreadyExists` when the name is taken; `Invalid` when an object that must exist does not. */
  create<K extends Kind>(
    kind: K,
    desired: DesiredWrite<K>,
    options: WriteOptions<K> = {},
  ): Promise<WriteResult<K>> {
    return this.#committer.submit(createObject(this.#context, kind, desired, options));
  }

  /**
   * The same, once per idempotency key of an actor: a repetition gets the answer of the first time. `Invalid` when the
   * key was used for something else.
   */
  createOnce<K extends Kind>(
    kind: K,
    desired: DesiredWrite<K>,
    options: CreateOnceOptions<K>,
  ): Promise<WriteResult<K> | RepeatedCreate> {
    return this.#committer.submit(createObjectOnce(this.#context, kind, desired, options));
  }

  /**
   * Creates or updates. `decide` is told the current object and returns what it should be, or throws to refuse. It may
   * be called more than once, and nothing is written between the call and the commit. Secret fields it leaves out
   * stay as they are. What changes nothing is not written.
   */
  write<K extends Kind>(
    kind: K,
    name: string,
    decide: (current: ObjectOf<K> | undefined) => DesiredWrite<K>,
    options: ConditionalWriteOptions<K> = {},
  ): Promise<WriteResult<K>> {
    return this.#committer.submit(writeObject(this.#context, { kind, name, decide, options }));
  }

  /** Never changes the generation. `LeaseLost` when the fence's grant was followed by another. */
  writeStatus<K extends Kind>(
    kind: K,
    name: string,
    decide: (current: ObjectOf<K>) => StatusOf<K>,
    options: StatusWriteOptions<K> = {},
  ): Promise<WriteResult<K>> {
    const decideStatus = (current: ObjectOf<K>): { status: StatusOf<K> } => ({ status: decide(current) });
    return this.#committer.submit(modifyObject(this.#context, { kind, name, decide: decideStatus, options }));
  }

  /** An object whose deletion was asked for goes when its last finalizer does. */
  writeFinalizers<K extends Kind>(
    kind: K,
    name: string,
    decide: (current: ObjectOf<K>) => readonly string[],
    options: StatusWriteOptions<K> = {},
  ): Promise<WriteResult<K>> {
    const decideFinalizers = (current: ObjectOf<K>): { finalizers: readonly string[] } => ({
      finalizers: decide(current),
    });
    return this.#committer.submit(
      modifyObject(this.#context, { kind, name, decide: decideFinalizers, options }),
    );
  }

  /**
   * Makes several changes in one transaction, in this order and each seeing those before it: all of them or, when one is
   * refused, none; then it rejects with that refusal. SQLite does nothing else meanwhile, so thousands are too many.
   */
  writeAll(writes: readonly ObjectWrite[]): Promise<WriteResult<Kind>[]> {
    return this.#committer.submit(writeObjects(this.#context, writes));
  }

  /**
   * Removes the object, or marks it as deleted while it has finalizers, and what it owns with it. `StillReferenced`,
   * with `details.blockedBy`, while others refer to it, unless `cascade` says to deal with them, all in one transaction.
   */
  delete<K extends Kind>(kind: K, name: string, options: DeleteOptions<K> = {}): Promise<WriteResult<K>> {
    return this.#committer.submit(deleteObject(this.#context, { kind, name, options }));
  }
}

function bodyQuery(queries: Engine["queries"], kind = "") {
  return queries.selectFrom("objects").select(["body", "resource_version"]).where("kind", "=", kind);
}

function keysQuery(queries: Engine["queries"], { kinds, limit, after }: KeyQuery) {
  const page = queries
    .selectFrom("objects")
    .select(["kind", "name", "generation"])
    .where(
      "kind",
      "in",
      kinds.map((kind) => kind.kind),
    )
    .orderBy("kind")
    .orderBy("name")
    .limit(limit);
  return after === undefined ? page : page.where(sql<boolean>`(kind, name) > (${after.kind}, ${after.name})`);
}

function* rowsFor(statement: SqlStatement): Transaction<readonly Row[]> {
  return yield statement;
}
