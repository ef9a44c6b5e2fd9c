import type { ApiObject, changeTypes } from "@bowline/api";

import type { Engine } from "../engine/engine.ts";
import { firstRowOf, rowsOf, type Transaction } from "../engine/transaction.ts";
import type { RowOf } from "../engine/tables.ts";
import { logIds, logState } from "./log-state.ts";
import { requireKept, type LogItem } from "./log.ts";
import type { LogTable, TablePage, TableQuery } from "./log-feed.ts";

export type ChangeRow = RowOf<"changes"> & { readonly previous_body: string | null };

/** One change of one object. */
export class Change implements LogItem {
  /** The number of the change, and the resourceVersion of the object since. */
  readonly revision: number;
  readonly type: (typeof changeTypes)[number];
  readonly kind: string;
  readonly name: string;
  readonly id: string;
  readonly generation: number;
  /** Whether a controller has something to do: it is new or gone, its spec changed, or its deletion was asked for. */
  readonly desiredChanged: boolean;
  readonly atMs: number;
  /** The object after the change, without secrets, as JSON: many watchers can be sent the same text. */
  readonly json: string;
  readonly #previousJson: string | null;
  #object: ApiObject | undefined;
  #previous: ApiObject | undefined;

  constructor(row: ChangeRow) {
    this.revision = row.revision;
    this.type = row.type as Change["type"];
    this.kind = row.kind;
    this.name = row.name;
    this.id = row.object_id;
    this.generation = row.generation;
    this.desiredChanged = row.desired_changed === 1;
    this.atMs = row.at;
    this.json = row.body;
    this.#previousJson = row.previous_body;
  }

  /** The object after the change; one that was deleted, as it was last. Shared: it must not be changed. */
  get object(): ApiObject {
    this.#object ??= parse(this.json);
    return this.#object;
  }

  /**
   * The object before the change, where there was one and the log still knows it. A watcher with a selector needs it:
   * an object that stops matching is gone for that watcher.
   */
  get previous(): ApiObject | undefined {
    if (this.#previousJson !== null) this.#previous ??= parse(this.#previousJson);
    return this.#previous;
  }

  /** Roughly what it takes in memory. */
  get size(): number {
    return this.json.length + (this.#previousJson?.length ?? 0);
  }
}

function parse(json: string): ApiObject {
  return JSON.parse(json);
}

/** Reads the table of changes. */
export class ChangeTable implements LogTable<Change> {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  async head(): Promise<number> {
    return (await this.#engine.read(() => firstRowOf(logState(this.#engine, logIds.changes))))?.revision ?? 0;
  }

  async read({ after, kinds, limit }: TableQuery): Promise<TablePage<Change>> {
    const { queries } = this.#engine;
    const state = logState(this.#engine, logIds.changes);
    let page = queries
      .selectFrom("changes as change")
      .leftJoin("changes as previous", "previous.revision", "change.previous_revision")
      .selectAll("change")
      .select("previous.body as previous_body")
      .where("change.revision", ">", after)
      .orderBy("change.revision")
      .limit(limit);
    if (kinds !== undefined) page = page.where("change.kind", "in", kinds);
    return this.#engine.readSnapshot(function* (): Transaction<TablePage<Change>> {
      const { revision: head = 0, compacted = 0 } = (yield* firstRowOf(state)) ?? {};
      requireKept(after, { compacted, head });
      const items = (yield* rowsOf(page)).map((row) => new Change(row));
      const last = items.at(-1);
      return { items, head, position: items.length < limit || last === undefined ? head : last.revision };
    });
  }
}
