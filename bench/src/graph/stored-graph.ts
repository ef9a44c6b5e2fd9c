import { DatabaseSync } from "node:sqlite";

import { changedAtMs, type KindCounts } from "./sim-order.ts";

/** How far a server is with the graph of its only cluster. */
export interface StoredState {
  readonly clusterId: string;
  /** Which of its agents' lives has told it. */
  readonly epoch: number;
  readonly complete: boolean;
  readonly objects: number;
  readonly change: number;
}

/** A version that a server has stored, and the change that it was made by. */
export interface SeenChange {
  readonly change: number;
  readonly changedAtMs: number | undefined;
}

/** The end of versions that are not over. */
const forever = Number.MAX_SAFE_INTEGER;

/** Looks into the SQLite database of a running server, beside it: its own requests would come off what is measured. */
export class StoredGraph implements Disposable {
  readonly #database: DatabaseSync;

  constructor(file: string) {
    this.#database = new DatabaseSync(file, { readOnly: true, timeout: 10_000 });
  }

  /** Undefined before an agent has told anything. */
  state(): StoredState | undefined {
    const row = this.#database.prepare("select * from report_cursors where topic = 'graph'").get();
    if (row === undefined) return undefined;
    return {
      clusterId: String(row["cluster_id"]),
      epoch: Number(row["epoch"]),
      complete: row["complete"] === 1,
      objects: Number(row["resources"]),
      change: Number(row["change"]),
    };
  }

  /** The kinds that are observed, as `group/kind`, each with how many objects are stored. */
  observed(): KindCounts {
    const kinds = this.#database
      .prepare(
        "select distinct api_group || '/' || kind as kind from graph_coverage where state = 'observed' and valid_to = ?",
      )
      .all(forever);
    const counts: Record<string, number> = Object.fromEntries(kinds.map((row) => [row["kind"], 0]));
    const rows = this.#database
      .prepare(
        "select api_group || '/' || kind as kind, count(*) as objects from graph_versions where valid_to = ? group by 1",
      )
      .all(forever);
    for (const row of rows) {
      const kind = String(row["kind"]);
      if (kind in counts) counts[kind] = Number(row["objects"]);
    }
    return counts;
  }

  /** The changes behind one, in their order. */
  changesBehind({ clusterId, change }: Pick<StoredState, "clusterId" | "change">): SeenChange[] {
    const rows = this.#database
      .prepare(
        "select change, facts from graph_versions where cluster_id = ? and change > ? and valid_to = ? order by change limit 2000",
      )
      .all(clusterId, change, forever);
    return rows.map((row) => ({
      change: Number(row["change"]),
      changedAtMs: changedAtMs(String(row["facts"])),
    }));
  }

  /** When the first version was told, and the last one. */
  times(): readonly [firstMs: number, lastMs: number] {
    const row = this.#database
      .prepare("select min(valid_from) as first, max(valid_from) as last from graph_versions")
      .get();
    return [Number(row?.["first"]), Number(row?.["last"])];
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}
