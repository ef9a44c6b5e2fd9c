import type { Engine } from "../engine/engine.ts";
import { firstRowOf, rowsOf, type Program } from "../engine/program.ts";
import { requireKept } from "../records/revision.ts";
import { Change } from "./change.ts";

export interface LogQuery {
  readonly after: number;
  readonly kinds?: readonly string[] | undefined;
  readonly limit: number;
}

export interface LogPage {
  readonly changes: readonly Change[];
  /** Everything up to here has been read. */
  readonly position: number;
  /** The number of the last change there was. */
  readonly head: number;
}

/** Reads the table of changes. */
export class ChangeLog {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  async head(): Promise<number> {
    const state = this.#engine.queries.selectFrom("store_state").select("revision").where("id", "=", 1);
    return (await this.#engine.read(() => firstRowOf(state)))?.revision ?? 0;
  }

  async read({ after, kinds, limit }: LogQuery): Promise<LogPage> {
    const { queries } = this.#engine;
    const state = queries.selectFrom("store_state").selectAll().where("id", "=", 1);
    let page = queries
      .selectFrom("changes as change")
      .leftJoin("changes as previous", "previous.revision", "change.previous_revision")
      .selectAll("change")
      .select("previous.body as previous_body")
      .where("change.revision", ">", after)
      .orderBy("change.revision")
      .limit(limit);
    if (kinds !== undefined) page = page.where("change.kind", "in", kinds);
    return this.#engine.readSnapshot(function* (): Program<LogPage> {
      const { revision: head = 0, compacted = 0 } = (yield* firstRowOf(state)) ?? {};
      requireKept(after, { compacted, head });
      const changes = (yield* rowsOf(page)).map((row) => new Change(row));
      const last = changes.at(-1);
      return { changes, head, position: changes.length < limit || last === undefined ? head : last.revision };
    });
  }
}
