import type { CursorRow, ReportKey } from "../reports/report.ts";
import {
  versionRow,
  type GraphLimits,
  type ObjectVersion,
  type RefusedGraphItem,
  type VersionRow,
} from "./graph.ts";

interface FoldOptions {
  readonly limits: GraphLimits;
  readonly nowMs: number;
  /** The current versions of all objects that batches tell of. */
  readonly known: readonly VersionRow[];
  /** When those that have no current version were last gone. */
  readonly ends: readonly Pick<VersionRow, "cluster_id" | "uid" | "valid_to">[];
}

/**
 * Folds what is told of objects into versions. The current version of an object is a row whose end lies at the end of
 * time; when that comes earlier, the row is stored again under the end it has got.
 */
export class VersionFold {
  /** Versions that are over. */
  readonly closed: VersionRow[] = [];
  readonly #options: FoldOptions;
  readonly #known: ReadonlyMap<string, VersionRow>;
  /** Undefined for one that is gone. */
  readonly #changed = new Map<string, VersionRow | undefined>();
  readonly #ends: Map<string, number>;

  constructor(options: FoldOptions) {
    this.#options = options;
    this.#known = new Map(options.known.map((row) => [keyOf(row.cluster_id, row.uid), row]));
    this.#ends = new Map(options.ends.map((row) => [keyOf(row.cluster_id, row.uid), row.valid_to]));
  }

  /** Counts in the cursor what it changes. */
  tell(
    cursor: CursorRow,
    key: ReportKey,
    told: { readonly object: ObjectVersion; readonly observedAtMs: number },
  ): RefusedGraphItem["refusal"] | undefined {
    const { limits, nowMs } = this.#options;
    const { object, observedAtMs } = told;
    const text = keyOf(key.clusterId, object.uid);
    const before = this.#current(text);
    if (before?.digest === object.digest) return undefined;
    const grows = object.facts.length - (before?.size ?? 0);
    if (before === undefined && cursor.resources >= limits.maxObjects) return "too-many-resources";
    if (grows > 0 && cursor.facts_size + grows > limits.maxFactsSize) return "too-large";
    // Clocks differ and are set: two versions of an object never overlap all the same.
    const earliest = before === undefined ? (this.#ends.get(text) ?? 0) : before.valid_from + 1;
    const validFrom = Math.max(Math.min(observedAtMs, nowMs), earliest);
    if (before === undefined) cursor.resources += 1;
    // Who follows the changes is told of the version that comes, which says that this one is over.
    else this.#close(cursor, { ...before, valid_to: validFrom, change: 0 });
    cursor.facts_size += object.facts.length;
    cursor.change += 1;
    this.#changed.set(text, versionRow(key, object, { valid_from: validFrom, change: cursor.change }));
    return undefined;
  }

  gone(cursor: CursorRow, { clusterId }: ReportKey, uid: string): void {
    const text = keyOf(clusterId, uid);
    const before = this.#current(text);
    if (before === undefined) return;
    const validTo = Math.max(this.#options.nowMs, before.valid_from + 1);
    cursor.resources -= 1;
    cursor.change += 1;
    this.#close(cursor, { ...before, valid_to: validTo, change: cursor.change });
    this.#ends.set(text, validTo);
    this.#changed.set(text, undefined);
  }

  written(): VersionRow[] {
    return [...this.#changed.values()].filter((row) => row !== undefined);
  }

  /** Rows of current versions that are none any more. */
  removed(): VersionRow[] {
    return [...this.#changed].flatMap(([text, row]) =>
      row === undefined ? (this.#known.get(text) ?? []) : [],
    );
  }

  #current(text: string): VersionRow | undefined {
    return this.#changed.has(text) ? this.#changed.get(text) : this.#known.get(text);
  }

  #close(cursor: CursorRow, row: VersionRow): void {
    cursor.facts_size -= row.size;
    cursor.history_size += row.size;
    this.closed.push(row);
  }
}

function keyOf(clusterId: string, uid: string): string {
  return `${clusterId} ${uid}`;
}
