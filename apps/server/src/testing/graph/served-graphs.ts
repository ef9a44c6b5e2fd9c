import { systemClock } from "@bowline/core";
import { ClusterGraph } from "@bowline/graph";
import { openTestStore } from "@bowline/store/testing";
import { onTestFinished } from "vitest";

import { ClusterGraphs } from "../../graph/cluster-graphs.ts";
import type { Fleet } from "../fleet/fleet.ts";
import { linesOf, type GraphLines } from "./true-graph.ts";

/** The graph of a cluster as servers have it: in memory, followed by what is stored, as of any time. */
export class ServedGraphs {
  readonly #graphs: ClusterGraphs;
  readonly #cluster: string;
  readonly #clusterId: string;

  /** A SQLite database is for one process: its server must not be running. */
  static async open(fleet: Fleet, cluster: string): Promise<ServedGraphs> {
    const [found] = await fleet.query<{ readonly id: string }>(
      `select id from objects where kind = 'Cluster' and name = '${cluster}'`,
    );
    const { graph: source } = await openTestStore(fleet.database);
    const graphs = new ClusterGraphs({ source, clock: systemClock, limits: { freshMs: 0 } });
    onTestFinished(() => graphs.close());
    return new ServedGraphs(graphs, cluster, found?.id ?? "");
  }

  private constructor(graphs: ClusterGraphs, cluster: string, clusterId: string) {
    this.#graphs = graphs;
    this.#cluster = cluster;
    this.#clusterId = clusterId;
  }

  async now(): Promise<GraphLines> {
    return this.#lines((await this.#graphs.current(this.#clusterId))?.graph);
  }

  async at(timeMs: number): Promise<GraphLines> {
    return this.#lines((await this.#graphs.at(this.#clusterId, timeMs))?.graph);
  }

  #lines(graph = new ClusterGraph()): GraphLines {
    return linesOf(this.#cluster, graph);
  }
}
