import type { CursorRow, ReportKey } from "../reports/report.ts";
import {
  coverageRow,
  type Coverage,
  type CoverageRow,
  type GraphLimits,
  type RefusedGraphItem,
} from "./graph.ts";

interface FoldOptions {
  readonly limits: GraphLimits;
  readonly nowMs: number;
  /** Everything that is current, of the clusters whose batches tell of some. */
  readonly coverage: readonly CoverageRow[];
}

/** Folds coverage, whose states are kept like the versions of objects. */
export class CoverageFold {
  /** States that are over. */
  readonly closed: CoverageRow[] = [];
  readonly #options: FoldOptions;
  readonly #coverage: Map<string, Map<string, CoverageRow>>;
  readonly #written = new Set<CoverageRow>();

  constructor(options: FoldOptions) {
    this.#options = options;
    this.#coverage = byCluster(options.coverage, coverageKey);
  }

  tell(cursor: CursorRow, key: ReportKey, coverage: Coverage): RefusedGraphItem["refusal"] | undefined {
    const { limits, nowMs } = this.#options;
    const known = within(this.#coverage, key.clusterId);
    const told = coverageRow(key, coverage, Math.min(coverage.sinceMs, nowMs));
    const text = coverageKey(told);
    const before = known.get(text);
    if (before === undefined && known.size >= limits.maxCoverage) return "too-many-resources";
    const isSame = before?.state === told.state && before.message === told.message;
    const earliest = before === undefined ? 0 : before.valid_from + 1;
    const next = isSame
      ? { ...before, epoch: key.epoch }
      : { ...told, valid_from: Math.max(told.valid_from, earliest) };
    if (before !== undefined) this.#written.delete(before);
    if (!isSame) {
      cursor.change += 1;
      if (before !== undefined) this.closed.push({ ...before, valid_to: next.valid_from });
    }
    this.#written.add(next);
    known.set(text, next);
    return undefined;
  }

  written(): CoverageRow[] {
    return [...this.#written];
  }
}

function coverageKey({ api_group: group, kind, namespace }: CoverageRow): string {
  return JSON.stringify([group, kind, namespace]);
}

export function byCluster<R extends { readonly cluster_id: string }>(
  rows: readonly R[],
  keyOf: (row: R) => string,
): Map<string, Map<string, R>> {
  const clusters = new Map<string, Map<string, R>>();
  for (const row of rows) within(clusters, row.cluster_id).set(keyOf(row), row);
  return clusters;
}

export function within<R>(clusters: Map<string, Map<string, R>>, clusterId: string): Map<string, R> {
  const known = clusters.get(clusterId) ?? new Map<string, R>();
  clusters.set(clusterId, known);
  return known;
}
