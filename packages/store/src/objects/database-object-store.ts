import type { Kind, ObjectOf, StatusOf } from "@bowline/api";

import type { Committer } from "./committer.ts";
import type {
  ConditionalWriteOptions,
  CreateOnceOptions,
  DeleteOptions,
  DesiredWrite,
  JsonPage,
  ListQuery,
  ObjectJson,
  ObjectPage,
  ObjectStore,
  RepeatedCreate,
  StatusWriteOptions,
  UnobservedObject,
  UnobservedQuery,
  WriteOptions,
  WriteResult,
} from "./object-store.ts";
import type { ObjectReader } from "./object-reader.ts";
import { createObject, createObjectOnce } from "./operations/create-object.ts";
import { deleteObject } from "./operations/delete-object.ts";
import { modifyObject } from "./operations/modify-object.ts";
import type { WriteContext } from "./operations/write-context.ts";
import { writeObject } from "./operations/write-object.ts";

/** Reads go straight to the database; writes become operations that the committer commits together. */
export class DatabaseObjectStore implements ObjectStore {
  readonly #reader: ObjectReader;
  readonly #committer: Committer;
  readonly #context: WriteContext;

  constructor(reader: ObjectReader, committer: Committer, context: WriteContext) {
    this.#reader = reader;
    this.#committer = committer;
    this.#context = context;
  }

  get<K extends Kind>(kind: K, name: string): Promise<ObjectOf<K> | undefined> {
    return this.#reader.get(kind, name);
  }

  getJson(kind: Kind, name: string): Promise<ObjectJson | undefined> {
    return this.#reader.getJson(kind, name);
  }

  reveal<K extends Kind>(kind: K, name: string): Promise<ObjectOf<K> | undefined> {
    return this.#reader.reveal(kind, name);
  }

  findByLookupKey<K extends Kind>(kind: K, lookupKey: string): Promise<ObjectOf<K> | undefined> {
    return this.#reader.findByLookupKey(kind, lookupKey);
  }

  list<K extends Kind>(kind: K, query?: ListQuery): Promise<ObjectPage<K>> {
    return this.#reader.list(kind, query);
  }

  listJson(kind: Kind, query?: ListQuery): Promise<JsonPage> {
    return this.#reader.listJson(kind, query);
  }

  listUnobserved(query: UnobservedQuery): Promise<UnobservedObject[]> {
    return this.#reader.listUnobserved(query);
  }

  create<K extends Kind>(
    kind: K,
    desired: DesiredWrite<K>,
    options: WriteOptions<K> = {},
  ): Promise<WriteResult<K>> {
    return this.#committer.submit(createObject(this.#context, kind, desired, options));
  }

  createOnce<K extends Kind>(
    kind: K,
    desired: DesiredWrite<K>,
    options: CreateOnceOptions<K>,
  ): Promise<WriteResult<K> | RepeatedCreate> {
    return this.#committer.submit(createObjectOnce(this.#context, kind, desired, options));
  }

  write<K extends Kind>(
    kind: K,
    name: string,
    decide: (current: ObjectOf<K> | undefined) => DesiredWrite<K>,
    options: ConditionalWriteOptions<K> = {},
  ): Promise<WriteResult<K>> {
    return this.#committer.submit(writeObject(this.#context, { kind, name, decide, options }));
  }

  writeStatus<K extends Kind>(
    kind: K,
    name: string,
    decide: (current: ObjectOf<K>) => StatusOf<K>,
    options: StatusWriteOptions<K> = {},
  ): Promise<WriteResult<K>> {
    const decideStatus = (current: ObjectOf<K>): { status: StatusOf<K> } => ({ status: decide(current) });
    return this.#committer.submit(modifyObject(this.#context, { kind, name, decide: decideStatus, options }));
  }

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

  delete<K extends Kind>(kind: K, name: string, options: DeleteOptions<K> = {}): Promise<WriteResult<K>> {
    return this.#committer.submit(deleteObject(this.#context, { kind, name, options }));
  }
}
