import { randomUUID } from "node:crypto";

import type { Clock, Logger, Metrics, Random } from "@bowline/core";
import { Neo4jDatabase, runNeo4jSink, SinkMetrics } from "@bowline/neo4j";
import type { Store } from "@bowline/store";

import { leaseHolder } from "../controllers/lease-holder.ts";
import type { ServerConfig } from "../config/server-config.ts";
import { StoredFacts } from "./stored-facts.ts";

export interface Neo4jCopyOptions {
  readonly config: Pick<ServerConfig, "neo4j">;
  readonly store: Pick<Store, "graph" | "objects" | "installation" | "leases" | "use">;
  readonly metrics: Metrics;
  /** Names this process among the replicas. */
  readonly owner: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

export interface Neo4jCopy {
  /** Resolves when nothing is written any more, and nothing is connected. */
  close(): Promise<void>;
}

/** Keeps a copy of the graphs in Neo4j; undefined where none was asked for. */
export function startNeo4jCopy(options: Neo4jCopyOptions): Neo4jCopy | undefined {
  const { config, store, metrics, clock, random, logger } = options;
  const { url, user, password = "", database, shared } = config.neo4j;
  if (url === undefined) return undefined;
  const stop = new AbortController();
  const running = runNeo4jSink(
    {
      // The same for all servers on one database.
      installation: () => store.installation.remember("neo4j", randomUUID()),
      shared: shared === "yes",
      source: new StoredFacts(store),
      open: () => Neo4jDatabase.open({ url, user, password, database, clock }),
      leads: leaseHolder(store, { key: "neo4j", owner: options.owner, clock }),
      metrics: new SinkMetrics(metrics),
      onFailure: (error, delayMs) =>
        logger.warn({ err: error, delayMs }, "The copy in Neo4j is not up to date; it will be tried again"),
      clock,
      random,
    },
    stop.signal,
  );
  return {
    async close() {
      stop.abort();
      await running;
    },
  };
}
