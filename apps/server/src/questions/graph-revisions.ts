import type { Identity } from "@bowline/auth";
import { LruMap, type Clock } from "@bowline/core";
import type { GraphStore } from "@bowline/store";

import type { GrantCache } from "../proxy/admission/grant-cache.ts";

export interface GraphRevisionsOptions {
  readonly source: Pick<GraphStore, "state">;
  readonly grants: Pick<GrantCache, "clusters" | "accessTo" | "grantsTo">;
  readonly clock: Pick<Clock, "now">;
  /** How long the number of a cluster's last change is taken for current. */
  readonly freshMs?: number | undefined;
}

/** Clusters whose numbers are remembered. */
const maxClusters = 10_000;

/** Tells whether anything has changed that the answer to somebody's question depends on, without asking it. */
export class GraphRevisions {
  readonly #options: GraphRevisionsOptions;
  /** Many questions are about the same clusters, whose numbers are read once for all of them. */
  readonly #changes = new LruMap<string, { readonly change: Promise<number>; readonly readAtMs: number }>(
    maxClusters,
  );

  constructor(options: GraphRevisionsOptions) {
    this.#options = options;
  }

  /** Another text when a graph or a right has changed. `NotFound` for a cluster that is none. */
  async of(identity: Identity, cluster: string | undefined): Promise<string> {
    const { grants } = this.#options;
    if (cluster !== undefined) grants.accessTo(identity, cluster);
    const parts: unknown[] = [];
    for (const { metadata } of grants.clusters()) {
      const { id, name } = metadata;
      if (cluster !== undefined && name !== cluster) continue;
      const access = grants.accessTo(identity, name);
      if (access.length === 0) continue;
      // Which people there are is part of some answers.
      const people = grants.grantsTo(name).map((grant) => grant.metadata.resourceVersion);
      parts.push([
        id,
        access.map(({ grant, namespaces }) => [grant, namespaces]),
        people,
        await this.#changeOf(id),
      ]);
    }
    return JSON.stringify(parts);
  }

  #changeOf(clusterId: string): Promise<number> {
    const { source, clock, freshMs = 5_000 } = this.#options;
    const known = this.#changes.get(clusterId);
    if (known !== undefined && clock.now() - known.readAtMs < freshMs) return known.change;
    const change = source.state(clusterId).then((state) => state?.change ?? 0);
    change.catch(() => this.#changes.delete(clusterId));
    this.#changes.set(clusterId, { change, readAtMs: clock.now() });
    return change;
  }
}
