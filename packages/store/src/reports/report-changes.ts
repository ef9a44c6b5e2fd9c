import type { Clock } from "@bowline/core";

import type { Engine } from "../engine/engine.ts";
import { rowsOf } from "../engine/transaction.ts";
import { LogFeed, type LogTable, type TablePage, type TableQuery } from "../log/log-feed.ts";
import { requireKept, type LogItem } from "../log/log.ts";
import type { ReportTopic } from "./report.ts";

/** Something else is known of a cluster about a topic than before; what, has to be asked for. The kind is the topic. */
export interface ReportChange extends LogItem {
  readonly kind: ReportTopic;
  readonly clusterId: string;
}

export interface ReportChangesOptions {
  readonly engine: Engine;
  readonly clock: Pick<Clock, "now" | "after">;
  /** How often to look, while somebody follows. */
  readonly pollMs: number;
}

/** That reports have come, from any agent and by any replica, for those who would otherwise ask again and again. */
export function reportChanges({ engine, clock, pollMs }: ReportChangesOptions): LogFeed<ReportChange> {
  return new LogFeed({ table: new ReportChangeTable(engine, clock), clock, pollMs });
}

interface Seen {
  /** What the cursor said. */
  readonly mark: string;
  readonly change: ReportChange;
}

/** Roughly what a change takes in memory. */
const changeSize = 200;

/**
 * Numbers changes by the time at which this process has found them: cursors have no number in common, and writing one
 * down would have all reports of all clusters wait for each other. So a number of another process, or of an earlier
 * run, is mostly none of ours: that is `Expired`, and whoever follows asks once and begins anew.
 */
class ReportChangeTable implements LogTable<ReportChange> {
  readonly #engine: Engine;
  readonly #clock: Pick<Clock, "now">;
  readonly #seen = new Map<string, Seen>();
  #first: number | undefined;
  #head = 0;
  #looking: Promise<void> | undefined;

  constructor(engine: Engine, clock: Pick<Clock, "now">) {
    this.#engine = engine;
    this.#clock = clock;
  }

  async head(): Promise<number> {
    await this.#look();
    return this.#head;
  }

  async read({ after, kinds, limit }: TableQuery): Promise<TablePage<ReportChange>> {
    await this.#look();
    requireKept(after, { compacted: this.#first ?? 0, head: this.#head });
    const later = [...this.#seen.values()]
      .map(({ change }) => change)
      .filter(({ revision, kind }) => revision > after && kinds?.includes(kind) !== false)
      .toSorted((a, b) => a.revision - b.revision);
    const items = later.slice(0, limit);
    const position = items.length < later.length ? (items.at(-1)?.revision ?? after) : this.#head;
    return { items, position, head: this.#head };
  }

  /** However many ask, the cursors are read by one of them. */
  #look(): Promise<void> {
    return (this.#looking ??= this.#compare().finally(() => (this.#looking = undefined)));
  }

  async #compare(): Promise<void> {
    const query = this.#engine.queries
      .selectFrom("report_cursors")
      .select(["cluster_id", "topic", "epoch", "sequence", "complete", "change"]);
    const rows = await this.#engine.read(() => rowsOf(query));
    const isFirst = this.#first === undefined;
    this.#first ??= this.#head = this.#clock.now();
    for (const { cluster_id: clusterId, topic, epoch, sequence, complete, change } of rows) {
      // The graph counts its changes; a batch for it may have none, and views are watched by themselves.
      const isGraph = topic === "graph";
      const mark = isGraph ? String(change) : `${epoch} ${sequence} ${complete}`;
      const key = `${topic} ${clusterId}`;
      if (this.#seen.get(key)?.mark === mark) continue;
      if (!isFirst) this.#head = Math.max(this.#head + 1, this.#clock.now());
      const kind = isGraph ? "graph" : "workloads";
      this.#seen.set(key, { mark, change: { revision: this.#head, kind, size: changeSize, clusterId } });
    }
    if (this.#seen.size === rows.length) return;
    const there = new Set(rows.map(({ cluster_id: id, topic }) => `${topic} ${id}`));
    for (const key of this.#seen.keys()) if (!there.has(key)) this.#seen.delete(key);
  }
}
