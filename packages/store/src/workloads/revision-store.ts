import { WorkloadPlacement } from "@bowline/api";
import { BowlineError, contentId, type Clock } from "@bowline/core";

import { upsertRows } from "../engine/bulk-statement.ts";
import type { Engine } from "../engine/engine.ts";
import { firstRowOf, rowsOf, run, type Transaction } from "../engine/transaction.ts";
import type { RowOf } from "../engine/tables.ts";
import { lockFence, type Fence } from "../objects/fence.ts";
import { fieldTerm } from "../objects/object-index.ts";
import { decodeCursor, encodeCursor, requireLimit, type RecordPage } from "../records/page.ts";
import type { KeyRing } from "../secrets/key-ring.ts";
import { openContent, sealContent } from "./blob.ts";

/**
 * - `resolved`: what the definition says now
 * - `superseded`: what it said before
 */
type RevisionState = "resolved" | "superseded";

/** The content of a definition at one time. It never changes: its id is the hash of the content. */
export interface Revision {
  /** `sha256:` and the hash in hex. */
  readonly id: string;
  /** The id of the definition's object. */
  readonly definitionId: string;
  /** The commit it was last found in; missing for a definition that does not come from git. */
  readonly commit?: string | undefined;
  /** Who signed that commit, where signatures were asked for. */
  readonly signer?: string | undefined;
  /** Name of the user who wrote it, as far as it is known. */
  readonly author?: string | undefined;
  /** The number of objects in it. */
  readonly objects: number;
  /** The size of the content as UTF-8. */
  readonly bytes: number;
  readonly resolvedAtMs: number;
  readonly state: RevisionState;
}

export interface NewRevision {
  readonly definitionId: string;
  /** In canonical form: contents that mean the same are the same text. */
  readonly content: string;
  readonly objects: number;
  readonly commit?: string | undefined;
  readonly signer?: string | undefined;
  readonly author?: string | undefined;
}

export interface RevisionQuery {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

/** Where revisions are looked for in clusters, by names. */
export interface AppliedQuery {
  readonly definition: string;
  /** Only what this instance has there. */
  readonly instance?: string | undefined;
}

export interface RevisionStoreOptions {
  readonly engine: Engine;
  readonly clock: Pick<Clock, "now">;
  readonly keys: KeyRing;
}

/**
 * The contents that definitions were resolved to. Two definitions with the same content have a row each and share the
 * content. Contents are encrypted, because manifests may hold Secrets.
 */
export class RevisionStore {
  readonly #engine: Engine;
  readonly #clock: Pick<Clock, "now">;
  readonly #keys: KeyRing;

  constructor({ engine, clock, keys }: RevisionStoreOptions) {
    this.#engine = engine;
    this.#clock = clock;
    this.#keys = keys;
  }

  /**
   * Makes this content what the definition says now. Writes nothing when it is that already; who signed its commit
   * stays known when nobody asks any more. `NotFound` when the definition is gone, `LeaseLost` when the fence's grant
   * was followed by another.
   */
  async put(
    revision: NewRevision,
    { fence }: { readonly fence?: Fence | undefined } = {},
  ): Promise<Revision> {
    const { definitionId, content, objects, commit = null, signer, author = null } = revision;
    const id = contentId(content);
    const current = await this.#engine.read(() => firstRowOf(this.#newest(definitionId)));
    if (current?.id === id && current.commit_id === commit && (signer ?? current.signer) === current.signer) {
      return revisionOf(current);
    }
    const blob = await sealContent(this.#keys, id, content);
    const bytes = Buffer.byteLength(content);
    const row = {
      definition_id: definitionId,
      id,
      commit_id: commit,
      author,
      signer: signer ?? null,
      objects,
      bytes,
      state: "resolved",
    };
    return this.#engine.commit(() => this.#put(row, blob, fence));
  }

  /** The content of a revision, whichever definitions have it. `DecryptionFailed` when the key is missing. */
  async content(id: string): Promise<string | undefined> {
    const query = this.#engine.queries.selectFrom("blobs").select("content").where("id", "=", id);
    const row = await this.#engine.read(() => firstRowOf(query));
    return row === undefined ? undefined : openContent(this.#keys, id, row.content);
  }

  /** One revision of a definition; undefined when it never had it, or has it no more. */
  async get(definitionId: string, id: string): Promise<Revision | undefined> {
    const query = this.#engine.queries
      .selectFrom("revisions")
      .selectAll()
      .where("definition_id", "=", definitionId)
      .where("id", "=", id);
    const row = await this.#engine.read(() => firstRowOf(query));
    return row === undefined ? undefined : revisionOf(row);
  }

  /** The latest come first. */
  async list(
    definitionId: string,
    { limit: wanted, cursor }: RevisionQuery = {},
  ): Promise<RecordPage<Revision>> {
    const limit = requireLimit(wanted);
    const from = cursor === undefined ? undefined : decodeCursor(definitionId, cursor);
    const newest = this.#newest(definitionId).limit(limit + 1);
    const page = from === undefined ? newest : newest.where("resolved_at", "<", Number(from.after[0]));
    const counted = this.#engine.queries
      .selectFrom("revisions")
      .select((eb) => eb.fn.countAll<number>().as("total"))
      .where("definition_id", "=", definitionId);
    return this.#engine.readSnapshot(function* (): Transaction<RecordPage<Revision>> {
      const total = from?.total ?? (yield* firstRowOf(counted))?.total ?? 0;
      const rows = yield* rowsOf(page);
      const items = rows.slice(0, limit).map(revisionOf);
      const last = items.at(-1);
      if (rows.length <= limit || last === undefined) return { items, total };
      const after = [last.resolvedAtMs];
      return { items, total, cursor: encodeCursor(definitionId, { after, total, revision: 0 }) };
    });
  }

  /** In how many clusters each revision was applied last; those in none are missing. */
  async clusterCounts({ definition, instance }: AppliedQuery): Promise<ReadonlyMap<string, number>> {
    const [led, name] =
      instance === undefined ? ["spec.definition", definition] : ["spec.instance", instance];
    const kind = WorkloadPlacement.kind;
    const query = this.#engine.queries
      .selectFrom("object_terms as placed")
      .innerJoin("object_terms as applied", (join) =>
        join.onRef("applied.kind", "=", "placed.kind").onRef("applied.name", "=", "placed.name"),
      )
      .innerJoin("object_terms as cluster", (join) =>
        join.onRef("cluster.kind", "=", "placed.kind").onRef("cluster.name", "=", "placed.name"),
      )
      .where("placed.kind", "=", kind)
      .where("placed.term", "=", fieldTerm(led))
      .where("placed.value", "=", name)
      .where("applied.term", "=", fieldTerm("status.revision"))
      .where("cluster.term", "=", fieldTerm("spec.cluster"))
      .select((eb) => ["applied.value as id", eb.fn.count<number>("cluster.value").distinct().as("clusters")])
      .groupBy("applied.value");
    const rows = await this.#engine.read(() => rowsOf(query));
    return new Map(rows.map(({ id, clusters }) => [id, clusters]));
  }

  *#put(
    row: Omit<RowOf<"revisions">, "resolved_at">,
    blob: RowOf<"blobs">,
    fence: Fence | undefined,
  ): Transaction<Revision> {
    yield* lockFence(fence);
    yield* this.#requireDefinition(row.definition_id);
    // Written even where it is there: the lock keeps the retention from deleting it before this revision is visible.
    yield* run(upsertRows("blobs", [blob]));
    const newest = yield* firstRowOf(this.#newest(row.definition_id));
    // One after the other, also when the clock stands still or was set back.
    const resolvedAt = Math.max(this.#clock.now(), (newest?.resolved_at ?? 0) + 1);
    yield* run(
      this.#engine.queries
        .updateTable("revisions")
        .set({ state: "superseded" })
        .where("definition_id", "=", row.definition_id)
        .where("state", "=", "resolved"),
    );
    const written = { ...row, resolved_at: resolvedAt };
    yield* run(upsertRows("revisions", [written]));
    return revisionOf(written);
  }

  *#requireDefinition(id: string): Transaction<void> {
    const query = this.#engine.queries.selectFrom("objects").select("id").where("id", "=", id);
    const found = yield* firstRowOf(this.#engine.dialect === "postgres" ? query.forKeyShare() : query);
    if (found === undefined) {
      throw new BowlineError("NotFound", `The definition ${id} was deleted; it gets no more revisions.`);
    }
  }

  #newest(definitionId: string) {
    return this.#engine.queries
      .selectFrom("revisions")
      .selectAll()
      .where("definition_id", "=", definitionId)
      .orderBy("resolved_at", "desc");
  }
}

function revisionOf(row: RowOf<"revisions">): Revision {
  return {
    id: row.id,
    definitionId: row.definition_id,
    ...(row.commit_id === null ? {} : { commit: row.commit_id }),
    ...(row.signer === null ? {} : { signer: row.signer }),
    ...(row.author === null ? {} : { author: row.author }),
    objects: row.objects,
    bytes: row.bytes,
    resolvedAtMs: row.resolved_at,
    state: row.state === "resolved" ? "resolved" : "superseded",
  };
}
