import { upsertRows } from "../engine/bulk-statement.ts";
import type { Engine } from "../engine/engine.ts";
import type { RowOf } from "../engine/tables.ts";
import { rowsOf, run, type Transaction } from "../engine/transaction.ts";
import { logIds, takeNumbers } from "../log/log-state.ts";
import type { ReportKey } from "../reports/report.ts";
import { byCluster, within } from "./coverage-fold.ts";
import type { GraphLimits, RefusedGraphItem } from "./graph.ts";

type ViewRow = RowOf<"graph_views">;

interface FoldOptions {
  readonly limits: Pick<GraphLimits, "maxViews">;
  readonly nowMs: number;
  /** Everything that is known, of the clusters whose batches tell of some. */
  readonly views: readonly ViewRow[];
}

/** Folds views, of which the last one is kept. One that has the numbers it had before is no news to those who watch. */
export class ViewFold {
  readonly #options: FoldOptions;
  readonly #known: Map<string, Map<string, ViewRow>>;
  readonly #written = new Set<ViewRow>();
  readonly #news = new Set<ViewRow>();

  constructor(options: FoldOptions) {
    this.#options = options;
    this.#known = byCluster(options.views, ({ name }) => name);
  }

  tell(
    { clusterId, epoch }: ReportKey,
    { name, content }: { readonly name: string; readonly content: string },
  ): RefusedGraphItem["refusal"] | undefined {
    const { limits, nowMs } = this.#options;
    const known = within(this.#known, clusterId);
    const before = known.get(name);
    if (before === undefined && known.size >= limits.maxViews) return "too-many-resources";
    const isSame = before?.content === content;
    if (isSame && before.epoch === epoch) return undefined;
    const next = isSame
      ? { ...before, epoch }
      : { cluster_id: clusterId, name, content, epoch, updated_at: nowMs, revision: 0 };
    const wasNews = before !== undefined && this.#news.delete(before);
    if (before !== undefined) this.#written.delete(before);
    this.#written.add(next);
    if (wasNews || !isSame) this.#news.add(next);
    known.set(name, next);
    return undefined;
  }

  /** Writes what was told; returns how many views have changed. */
  *write(engine: Engine): Transaction<number> {
    const news = [...this.#news];
    yield* run(
      upsertRows(
        "graph_views",
        [...this.#written].filter((row) => !this.#news.has(row)),
      ),
    );
    yield* writeNews(engine, news);
    return news.length;
  }
}

/** Views that only earlier epochs have told are over; those who watch are told so by what stays of them. */
export function* endViews(
  engine: Engine,
  { clusterId, epoch }: ReportKey,
  nowMs: number,
): Transaction<number> {
  const over = yield* rowsOf(
    engine.queries
      .selectFrom("graph_views")
      .selectAll()
      .where("cluster_id", "=", clusterId)
      .where("epoch", "<", epoch)
      .where("content", "<>", ""),
  );
  yield* writeNews(
    engine,
    over.map((row) => ({ ...row, content: "", updated_at: nowMs })),
  );
  return over.length;
}

function* writeNews(engine: Engine, rows: readonly ViewRow[]): Transaction<void> {
  if (rows.length === 0) return;
  const before = yield* takeNumbers(engine, logIds.views, rows.length);
  const numbered = rows.map((row, index) => ({ ...row, revision: before + index + 1 }));
  yield* run(upsertRows("graph_views", numbered));
}
