import type { changeTypes, FieldRequirement, Kind } from "@bowline/api";

import { insertRows, selectRows, upsertRows } from "../engine/bulk-statement.ts";
import type { Engine } from "../engine/engine.ts";
import { firstRowOf, rowsByKey, rowsOf, run, type Transaction } from "../engine/transaction.ts";
import type { RowOf } from "../engine/tables.ts";
import { flushObjects, type TouchedObject } from "./flush-objects.ts";
import { leadingCandidates, NamesQuery } from "./names-query.ts";
import {
  missingRows,
  referenceOf,
  referencesIn,
  referrersQuery,
  type ObjectReference,
  type ReferenceRow,
} from "./object-index.ts";
import { storedObjectOf, type StoredObject } from "./stored-object.ts";

export interface ObjectKey {
  readonly kind: Kind;
  readonly name: string;
}

/** Rows that an operation is going to look at; read for all operations of a batch at once. */
export interface Prefetch {
  readonly objects: readonly ObjectKey[];
  readonly leaseKeys?: readonly string[];
  readonly answerKeys?: readonly AnswerKey[];
}

export type AnswerKey = Pick<RowOf<"answers">, "actor" | "key">;

/** One change of one object. */
export interface Mutation {
  readonly kind: Kind;
  readonly type: (typeof changeTypes)[number];
  readonly before: StoredObject | undefined;
  /** As it is now or, when it is deleted, as it was last; its resourceVersion comes from `nextVersion`. */
  readonly after: StoredObject;
  /** Whether a controller has something to do: the spec changed, or the deletion was asked for. */
  readonly desiredChanged: boolean;
}

/** Rows that go into the same transaction. */
export interface Attachments {
  readonly audit?: readonly RowOf<"audit">[];
  readonly answer?: RowOf<"answers"> | undefined;
}

/** More than the operations of one batch can change, so that what is left unchanged is among them. */
const maxCandidates = 1_000;

/** More than one deletion may change. */
export const maxReferrers = 20_000;

/**
 * The objects that a transaction works on. Operations read and change them here, each seeing what those before it did;
 * at the end everything is written at once, in a few statements whatever the number of operations.
 *
 * It begins by locking the one row that counts revisions. The holder of that lock is the only one to change objects, on
 * any replica, until the commit: this is what makes revisions visible in their order, and what makes it safe to decide
 * here, without constraints of the database, whether a name is taken or an object still referred to.
 */
export class CommitBatch {
  /** When all of it happens. */
  readonly nowMs: number;
  readonly #queries: Engine["queries"];
  readonly #startRevision: number;
  #revision: number;
  readonly #objects = new Map<string, StoredObject | undefined>();
  readonly #referrers = new Map<string, readonly ReferenceRow[]>();
  readonly #leaseTokens = new Map<string, number>();
  readonly #storedAnswers = new Map<string, RowOf<"answers">>();
  readonly #touched = new Map<string, TouchedObject>();
  readonly #changes: RowOf<"changes">[] = [];
  readonly #audit: RowOf<"audit">[] = [];
  readonly #answers: RowOf<"answers">[] = [];

  static *begin(engine: Engine, nowMs: number): Transaction<CommitBatch> {
    const state = engine.queries.selectFrom("store_state").select("revision").where("id", "=", 1);
    // SQLite has no row locks; its transaction has locked the database already.
    const row = yield* firstRowOf(engine.dialect === "postgres" ? state.forUpdate() : state);
    return new CommitBatch(engine.queries, row?.revision ?? 0, nowMs);
  }

  private constructor(queries: Engine["queries"], revision: number, nowMs: number) {
    this.#queries = queries;
    this.#startRevision = revision;
    this.#revision = revision;
    this.nowMs = nowMs;
  }

  /** The number of the last change so far. */
  get revision(): number {
    return this.#revision;
  }

  /** The resourceVersion of the next change, or of one that follows it. */
  nextVersion(offset = 0): string {
    return String(this.#revision + 1 + offset);
  }

  *prefetch(wanted: readonly Prefetch[]): Transaction<void> {
    yield* this.#loadObjects(wanted.flatMap(({ objects }) => objects));
    const leaseKeys = [...new Set(wanted.flatMap(({ leaseKeys = [] }) => leaseKeys))];
    const leases = selectRows(
      "leases",
      ["key"],
      leaseKeys.map((key) => ({ key })),
    );
    // Locked, so that a lease cannot be granted to somebody else between this check and the commit.
    for (const { key, token } of yield* rowsByKey({ ...leases, lock: true }))
      this.#leaseTokens.set(key, token);
    const answerKeys = wanted.flatMap(({ answerKeys = [] }) => answerKeys);
    for (const row of yield* rowsByKey(selectRows("answers", ["actor", "key"], answerKeys))) {
      this.#storedAnswers.set(answerText(row), row);
    }
  }

  *find(kind: Kind, name: string): Transaction<StoredObject | undefined> {
    yield* this.#loadObjects([{ kind, name }]);
    return this.#objects.get(objectText(kind.kind, name));
  }

  /** References to an object, at most `maxReferrers`. */
  *referrers(kind: Kind, name: string): Transaction<ObjectReference[]> {
    const key = objectText(kind.kind, name);
    let rows = this.#referrers.get(key);
    if (rows === undefined) {
      rows = yield* rowsOf(referrersQuery(this.#queries, kind, name, maxReferrers));
      this.#referrers.set(key, rows);
    }
    const { gone, added } = this.#touchedReferences(kind.kind, name);
    return [...missingRows(missingRows(rows, gone), added), ...added].map(referenceOf);
  }

  /** Whether any object refers to this one: a question to be asked often, and of objects with thousands of referrers. */
  *isReferred(kind: Kind, name: string): Transaction<boolean> {
    const { gone, added } = this.#touchedReferences(kind.kind, name);
    if (added.length > 0) return true;
    const rows = yield* rowsOf(referrersQuery(this.#queries, kind, name, gone.length + 1));
    return missingRows(rows, gone).length > 0;
  }

  /** Names of objects that meet the requirements, unless they were changed in this batch; at most `maxCandidates`. */
  *candidates(kind: Kind, fields: readonly FieldRequirement[]): Transaction<string[]> {
    const page = yield* this.#candidatePage(kind, fields, undefined);
    return [...new Set([...page, ...this.#touchedNames(kind)])];
  }

  /** All of them, on however many pages: for a question that one that was left off would answer wrongly. */
  *allCandidates(kind: Kind, fields: readonly FieldRequirement[]): Transaction<ReadonlySet<string>> {
    const names = new Set(this.#touchedNames(kind));
    let page: string[] = [];
    do {
      page = yield* this.#candidatePage(kind, fields, page.at(-1));
      for (const name of page) names.add(name);
    } while (page.length === maxCandidates);
    return names;
  }

  *#candidatePage(
    kind: Kind,
    fields: readonly FieldRequirement[],
    after: string | undefined,
  ): Transaction<string[]> {
    const selection = { labels: [], fields };
    const [leading] = leadingCandidates(selection);
    const found = new NamesQuery(this.#queries, kind, selection, leading).page(after, maxCandidates);
    return (yield* rowsOf(found)).map(({ name }) => name);
  }

  #touchedNames({ kind }: Kind): string[] {
    return [...this.#touched.values()].flatMap(({ kind: { kind: other }, final }) =>
      final === undefined || other !== kind ? [] : [final.object.metadata.name],
    );
  }

  /** Whether something outside belongs to a Cluster. */
  *hasResources(clusterId: string): Transaction<boolean> {
    const query = this.#queries
      .selectFrom("provider_resources")
      .select("step")
      .where("cluster_id", "=", clusterId)
      .where("state", "<>", "gone")
      .limit(1);
    return (yield* firstRowOf(query)) !== undefined;
  }

  /** The token of the last grant of a lease that was prefetched. */
  leaseToken(key: string): number | undefined {
    return this.#leaseTokens.get(key);
  }

  /** The answer that was prefetched, or that an earlier operation of this batch gave. */
  storedAnswer(key: AnswerKey): RowOf<"answers"> | undefined {
    return this.#storedAnswers.get(answerText(key));
  }

  /** Does several operations as one: when it throws, everything is as it was before. */
  *whole<T>(run: () => Transaction<T>): Transaction<T> {
    const revision = this.#revision;
    const maps = [keptMap(this.#objects), keptMap(this.#touched), keptMap(this.#storedAnswers)];
    const lists = [this.#changes, this.#audit, this.#answers].map((list) => ({ list, length: list.length }));
    try {
      return yield* run();
    } catch (thrown) {
      this.#revision = revision;
      for (const putBack of maps) putBack();
      for (const { list, length } of lists) list.length = length;
      throw thrown;
    }
  }

  /** Takes over what one operation decided. Nothing in here fails, so it is taken over as a whole. */
  apply(mutations: readonly Mutation[], { audit = [], answer }: Attachments = {}): void {
    for (const mutation of mutations) this.#applyOne(mutation);
    this.#audit.push(...audit);
    if (answer === undefined) return;
    this.#answers.push(answer);
    this.#storedAnswers.set(answerText(answer), answer);
  }

  /** Writes everything. */
  *flush(): Transaction<void> {
    yield* flushObjects([...this.#touched.values()]);
    yield* run(insertRows("changes", this.#changes));
    yield* run(insertRows("audit", this.#audit));
    yield* run(upsertRows("answers", this.#answers));
    if (this.#revision === this.#startRevision) return;
    yield* run(
      this.#queries.updateTable("store_state").set({ revision: this.#revision }).where("id", "=", 1),
    );
  }

  *#loadObjects(keys: readonly ObjectKey[]): Transaction<void> {
    const missing = new Map(keys.map((key) => [objectText(key.kind.kind, key.name), key]));
    for (const key of missing.keys()) if (this.#objects.has(key)) missing.delete(key);
    const wanted = [...missing.values()].map(({ kind, name }) => ({ kind: kind.kind, name }));
    const rows = yield* rowsByKey(selectRows("objects", ["kind", "name"], wanted));
    for (const key of missing.keys()) this.#objects.set(key, undefined);
    for (const row of rows) {
      const key = objectText(row.kind, row.name);
      const kind = missing.get(key)?.kind;
      if (kind !== undefined) this.#objects.set(key, storedObjectOf(kind, row));
    }
  }

  #applyOne({ kind, type, before, after, desiredChanged }: Mutation): void {
    this.#revision += 1;
    const { metadata } = after.object;
    const key = objectText(kind.kind, metadata.name);
    const final = type === "DELETED" ? undefined : after;
    const original = this.#touched.has(key) ? this.#touched.get(key)?.original : before;
    this.#objects.set(key, final);
    this.#touched.set(key, { kind, original, final });
    this.#changes.push({
      revision: this.#revision,
      kind: kind.kind,
      object_id: metadata.id,
      name: metadata.name,
      type,
      generation: metadata.generation,
      desired_changed: desiredChanged ? 1 : 0,
      previous_revision: before === undefined ? null : Number(before.object.metadata.resourceVersion),
      body: after.body,
      at: this.nowMs,
    });
  }

  /** What this batch has done so far to the references to an object: rows of the database that go, and those that come. */
  #touchedReferences(kind: string, name: string): Record<"gone" | "added", readonly ReferenceRow[]> {
    const gone: ReferenceRow[] = [];
    const added: ReferenceRow[] = [];
    const isToThis = (row: ReferenceRow): boolean => row.to_kind === kind && row.to_name === name;
    for (const touched of this.#touched.values()) {
      if (!touched.kind.references.some((reference) => reference.kind === kind)) continue;
      gone.push(...referencesIn(touched.kind, touched.original).filter(isToThis));
      added.push(...referencesIn(touched.kind, touched.final).filter(isToThis));
    }
    return { gone, added };
  }
}

/** A function that puts a map back to what it is now. */
function keptMap<K, V>(map: Map<K, V>): () => void {
  const entries = [...map];
  return () => {
    map.clear();
    for (const [key, value] of entries) map.set(key, value);
  };
}

function objectText(kind: string, name: string): string {
  return `${kind}/${name}`;
}

function answerText({ actor, key }: AnswerKey): string {
  return JSON.stringify([actor, key]);
}
