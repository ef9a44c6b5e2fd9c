import type { Clock } from "@bowline/core";
import type { ReportItem } from "@bowline/protocol";
import type { GraphItem, KnownVersion, ReportKey, Store } from "@bowline/store";

import type { RefusedPart, ReportAnswer, ReportIntake } from "./open-report.ts";
import { readGraphItem } from "./read-graph-item.ts";
import type { ReportMetrics } from "./report-metrics.ts";

/** Is told, after it is stored, that the graph of a cluster has changed. It must neither throw nor wait. */
export interface GraphSink {
  changed(clusterId: string): void;
}

export interface GraphIntakeOptions {
  readonly store: Pick<Store, "graph">;
  readonly graphSink: GraphSink;
  /** How much of the cluster is observed may have changed. It must neither throw nor wait. */
  readonly covered: () => void;
  readonly metrics: ReportMetrics;
  readonly clock: Pick<Clock, "now">;
  readonly key: ReportKey;
}

/** Takes in what the objects of a cluster say. */
export class GraphIntake implements ReportIntake {
  readonly #options: GraphIntakeOptions;

  constructor(options: GraphIntakeOptions) {
    this.#options = options;
  }

  take(sequence: number, parts: readonly ReportItem[]): ReturnType<ReportIntake["take"]> {
    const nowMs = this.#options.clock.now();
    const items: GraphItem[] = [];
    const refused: RefusedPart[] = [];
    for (const [index, part] of parts.entries()) {
      const read = readGraphItem(part, index, nowMs);
      if (typeof read === "string") refused.push({ index, refusal: read });
      else items.push(read);
    }
    return Promise.resolve({ stored: this.#store(sequence, items, refused) });
  }

  async complete(sequence: number): Promise<void> {
    const { store, key, metrics, graphSink } = this.#options;
    const isNew = await store.graph.complete(key, sequence);
    if (isNew) metrics.completed("graph");
    graphSink.changed(key.clusterId);
    this.#options.covered();
  }

  /** What is stored of earlier epochs, page by page, as an agent that begins a new one is told it. */
  async *known(): AsyncGenerator<ReportAnswer, void, undefined> {
    const { store, key } = this.#options;
    for await (const page of store.graph.known(key.clusterId)) {
      if (page.length > 0) yield { message: { case: "known", value: { objects: byPlace(page) } } };
    }
  }

  async #store(
    sequence: number,
    items: readonly GraphItem[],
    invalid: readonly RefusedPart[],
  ): Promise<readonly RefusedPart[]> {
    const { store, key, metrics, clock, graphSink } = this.#options;
    const stored = await store.graph.store({ key, sequence, items });
    const refused = stored.isNew ? [...invalid, ...stored.refused] : [];
    if (stored.isNew) {
      const times = items.map((item) => (item.type === "facts" ? item.observedAtMs : undefined));
      metrics.stored("graph", { items, times, refused, nowMs: clock.now() });
    } else {
      metrics.known("graph");
    }
    if (stored.isChange) graphSink.changed(key.clusterId);
    if (stored.isNew && items.some(({ type }) => type === "coverage")) this.#options.covered();
    return refused;
  }
}

/** Objects of one kind and namespace name those once. */
function byPlace(page: readonly KnownVersion[]) {
  const places = Map.groupBy(page, ({ group, kind, namespace }) => JSON.stringify([group, kind, namespace]));
  return [...places.values()].flatMap((versions) => {
    const [first] = versions;
    if (first === undefined) return [];
    const { group, kind, namespace } = first;
    const uids = versions.map(({ uid }) => uid);
    const digests = Buffer.from(versions.map(({ digest }) => digest).join(""), "hex");
    return [{ group, kind, namespace, uids, digests }];
  });
}
