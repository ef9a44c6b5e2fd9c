import { BowlineError } from "@bowline/core";
import type { ObjectFacts } from "@bowline/graph";

import type { FactsChange, FactsPage, GraphSource, SourceCluster, SourcePlace } from "../graph-source.ts";

/** The log of some clusters, in memory. */
export class MemorySource implements GraphSource {
  readonly #clusters = new Map<string, ClusterLog>();

  /** Resolves to the log of the cluster, which is made if there is none. */
  log(cluster: SourceCluster): ClusterLog {
    const found = this.#clusters.get(cluster.id) ?? new ClusterLog(cluster);
    this.#clusters.set(cluster.id, found);
    return found;
  }

  forget(clusterId: string): void {
    this.#clusters.delete(clusterId);
  }

  async clusters(): Promise<SourceCluster[]> {
    return [...this.#clusters.values()].map(({ cluster }) => cluster);
  }

  async heads(): Promise<Map<string, number>> {
    return new Map([...this.#clusters].map(([id, { head }]) => [id, head]));
  }

  async current(clusterId: string, after: SourcePlace | undefined, limit: number): Promise<FactsPage> {
    return this.#of(clusterId).current(Number(after?.[0] ?? 0), limit);
  }

  async changes(clusterId: string, after: number, limit: number): Promise<FactsChange[]> {
    return this.#of(clusterId).changes(after, limit);
  }

  async facts(clusterId: string, uid: string): Promise<ObjectFacts | undefined> {
    return this.#of(clusterId).facts(uid);
  }

  #of(clusterId: string): ClusterLog {
    const log = this.#clusters.get(clusterId);
    if (log === undefined) throw new BowlineError("NotFound", "There is no such cluster.");
    return log;
  }
}

export class ClusterLog {
  readonly cluster: SourceCluster;
  head = 0;
  #forgotten = 0;
  /** The last change of each object. */
  #changes: Map<string, FactsChange> = new Map();

  constructor(cluster: SourceCluster) {
    this.cluster = cluster;
  }

  replace(facts: ObjectFacts): void {
    this.#add({ change: this.head + 1, uid: facts.uid, facts });
  }

  remove(uid: string): void {
    if (this.#changes.get(uid)?.facts !== undefined) this.#add({ change: this.head + 1, uid });
  }

  /** As retention does: who is gone is known no more. */
  prune(): void {
    this.#forgotten = this.head;
    for (const [uid, { facts }] of this.#changes) if (facts === undefined) this.#changes.delete(uid);
  }

  /** As a backup does: back to what it was before. */
  goBack(head: number, objects: readonly ObjectFacts[]): void {
    this.head = 0;
    this.#changes = new Map();
    for (const facts of objects) this.replace(facts);
    this.head = head;
  }

  objects(): ObjectFacts[] {
    return [...this.#changes.values()].flatMap(({ facts }) => facts ?? []);
  }

  facts(uid: string): ObjectFacts | undefined {
    return this.#changes.get(uid)?.facts;
  }

  current(start: number, limit: number): FactsPage {
    const all = this.objects();
    const end = start + limit;
    return { items: all.slice(start, end), ...(end < all.length ? { next: [end] } : {}) };
  }

  changes(after: number, limit: number): FactsChange[] {
    if (after < this.#forgotten) throw new BowlineError("Expired", "That is not known any more.");
    return [...this.#changes.values()].filter(({ change }) => change > after).slice(0, limit);
  }

  #add(change: FactsChange): void {
    this.head = change.change;
    // At the end: they are kept in the order of changes.
    this.#changes.delete(change.uid);
    this.#changes.set(change.uid, change);
  }
}
