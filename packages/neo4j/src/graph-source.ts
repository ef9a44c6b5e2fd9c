import type { ObjectFacts } from "@bowline/graph";

/** A cluster whose graph is copied. One that was deleted and made again has the name, and another id. */
export interface SourceCluster {
  readonly id: string;
  readonly name: string;
}

/** The place behind a page: what the source understands again, as JSON. */
export type SourcePlace = readonly (string | number)[];

export interface FactsPage {
  readonly items: readonly ObjectFacts[];
  /** Missing on the last page. */
  readonly next?: SourcePlace | undefined;
}

/** An object that says something else than before or, without facts, is gone. */
export interface FactsChange {
  readonly change: number;
  readonly uid: string;
  readonly facts?: ObjectFacts | undefined;
}

/** The log from which the copy is made. */
export interface GraphSource {
  clusters(): Promise<readonly SourceCluster[]>;
  /** The number of the last change of each of these clusters of which something is known. */
  heads(clusterIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** What objects say now. Those that change while pages are read may be on none, and are among the changes since. */
  current(clusterId: string, after: SourcePlace | undefined, limit: number): Promise<FactsPage>;
  /** What has changed behind a number, in order. `Expired` when that is not known any more. */
  changes(clusterId: string, after: number, limit: number): Promise<readonly FactsChange[]>;
  /** What one object says now. */
  facts(clusterId: string, uid: string): Promise<ObjectFacts | undefined>;
}
