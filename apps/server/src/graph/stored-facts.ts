import { Cluster } from "@bowline/api";
import { allPages } from "@bowline/core";
import { decodeFacts, nodeKind, type ObjectFacts } from "@bowline/graph";
import type { FactsChange, FactsPage, GraphSource, SourceCluster, SourcePlace } from "@bowline/neo4j";
import type { Store, StoredVersion } from "@bowline/store";

/** The log of graphs in the database, as those who copy it follow it. */
export class StoredFacts implements GraphSource {
  readonly #store: Pick<Store, "graph" | "objects">;

  constructor(store: Pick<Store, "graph" | "objects">) {
    this.#store = store;
  }

  async clusters(): Promise<SourceCluster[]> {
    const clusters = await allPages((cursor) => this.#store.objects.list(Cluster, { cursor }));
    return clusters.map(({ metadata }) => ({ id: metadata.id, name: metadata.name }));
  }

  heads(): Promise<ReadonlyMap<string, number>> {
    return this.#store.graph.heads();
  }

  async current(clusterId: string, after: SourcePlace | undefined, limit: number): Promise<FactsPage> {
    const objects = await this.#store.graph.currentBehind(clusterId, Number(after?.[0] ?? 0), limit);
    const last = objects.at(-1);
    return {
      items: objects.flatMap(({ version }) => factsOf(version) ?? []),
      next: last === undefined || objects.length < limit ? undefined : [last.change],
    };
  }

  async changes(clusterId: string, after: number, limit: number): Promise<FactsChange[]> {
    const changes = await this.#store.graph.changes(clusterId, after, limit);
    return changes.map(({ change, uid, version }) => {
      return { change, uid, facts: version === undefined ? undefined : factsOf(version) };
    });
  }

  async facts(clusterId: string, uid: string): Promise<ObjectFacts | undefined> {
    const version = await this.#store.graph.currentOf(clusterId, uid);
    return version === undefined ? undefined : factsOf(version);
  }
}

/** Undefined for a text that no version of ours understands. */
function factsOf({ group, kind, namespace, name, uid, facts }: StoredVersion): ObjectFacts | undefined {
  return decodeFacts(facts, { node: { kind: nodeKind(group, kind), namespace, name }, uid });
}
