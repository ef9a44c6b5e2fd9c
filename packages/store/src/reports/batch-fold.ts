import type { ClusterEvent } from "../records/cluster-events.ts";
import {
  resourceRow,
  type CursorRow,
  type RefusedItem,
  type ReportedBatch,
  type ReportedItem,
  type ResourceRow,
  type StoredBatch,
} from "./report.ts";
import { cursorAfter } from "./cursors.ts";

/** The most that is kept of one cluster. */
export interface ReportLimits {
  readonly maxResources: number;
  /** Of the facts of all resources together, in characters. */
  readonly maxFactsSize: number;
}

type ResourceItem = Exclude<ReportedItem, { readonly type: "event" }>;

/** Folds batches into rows, one after the other: each sees what those before it have changed. */
export class BatchFold {
  /** In the order in which they came. */
  readonly events: ClusterEvent[] = [];
  readonly #limits: ReportLimits;
  readonly #cursors: Map<string, CursorRow>;
  readonly #moved = new Set<string>();
  readonly #known: ReadonlyMap<string, ResourceRow>;
  /** Undefined for one that is gone. */
  readonly #changed = new Map<string, ResourceRow | undefined>();

  constructor(limits: ReportLimits, cursors: Map<string, CursorRow>, known: readonly ResourceRow[]) {
    this.#limits = limits;
    this.#cursors = cursors;
    this.#known = new Map(known.map((row) => [keyOf(row.cluster_id, row.uid), row]));
  }

  /** Throws, before it changes anything, for a batch that must not be stored. */
  add({ key, sequence, items }: ReportedBatch): StoredBatch {
    const next = cursorAfter(key, sequence, this.#cursors.get(key.clusterId));
    if (next === undefined) return { isNew: false, refused: [], workloads: new Set() };
    const refused: RefusedItem[] = [];
    const workloads = new Set<string>();
    for (const item of items) {
      if (item.type === "event") {
        this.events.push(item.event);
        continue;
      }
      const refusal = this.#apply(next, item, key, workloads);
      if (refusal !== undefined) refused.push({ index: item.index, refusal });
    }
    this.#cursors.set(key.clusterId, next);
    this.#moved.add(key.clusterId);
    return { isNew: true, refused, workloads };
  }

  written(): ResourceRow[] {
    return [...this.#changed.values()].filter((row) => row !== undefined);
  }

  gone(): ResourceRow[] {
    return [...this.#changed].flatMap(([key, row]) =>
      row === undefined ? (this.#known.get(key) ?? []) : [],
    );
  }

  changedCursors(): CursorRow[] {
    return [...this.#moved].flatMap((id) => this.#cursors.get(id) ?? []);
  }

  #apply(
    cursor: CursorRow,
    item: ResourceItem,
    key: ReportedBatch["key"],
    workloads: Set<string>,
  ): RefusedItem["refusal"] | undefined {
    const text = keyOf(key.clusterId, item.type === "gone" ? item.uid : item.resource.uid);
    const before = this.#changed.has(text) ? this.#changed.get(text) : this.#known.get(text);
    const after = item.type === "gone" ? undefined : resourceRow(key, item.resource);
    const grows = (after?.facts.length ?? 0) - (before?.facts.length ?? 0);
    const adds = (after === undefined ? 0 : 1) - (before === undefined ? 0 : 1);
    if (adds > 0 && cursor.resources >= this.#limits.maxResources) return "too-many-resources";
    if (grows > 0 && cursor.facts_size + grows > this.#limits.maxFactsSize) return "too-large";
    for (const row of [before, after]) if (row !== undefined) workloads.add(row.workload);
    cursor.resources += adds;
    cursor.facts_size += grows;
    if (before !== undefined || after !== undefined) this.#changed.set(text, after);
    return undefined;
  }
}

function keyOf(clusterId: string, uid: string): string {
  return `${clusterId} ${uid}`;
}
