/** The graph of a cluster as a server has it in memory, and nothing else: `graph-process.ts SQLITE_FILE`. */
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

import { systemClock } from "@bowline/core";
import { ClusterGraphs } from "@bowline/server";
import { openStore } from "@bowline/store";

import { databaseAt } from "../api/database-at.ts";
import { answerCommands } from "../measure-process.ts";

export interface LoadMeasurement {
  readonly nodes: number;
  readonly edges: number;
  readonly objects: number;
  /** What the graph takes on the heap and beside it. */
  readonly bytes: number;
  readonly firstSeconds: number;
  /** After it was put away, because nobody had asked for a while. */
  readonly backSeconds: number;
}

const idleMs = 500;

async function load(): Promise<LoadMeasurement> {
  const store = await openStore({
    database: databaseAt(process.argv[2] ?? ""),
    // Nothing that is encrypted is read.
    encryptionKeys: [{ id: "bench", key: randomBytes(32) }],
  });
  const graphs = new ClusterGraphs({ source: store.graph, clock: systemClock, limits: { idleMs } });
  const [clusterId = ""] = (await store.graph.heads()).keys();
  const first = await timed(graphs, clusterId);
  while (graphs.loaded.length > 0) await sleep(idleMs / 10);
  const before = usedBytes();
  const back = await timed(graphs, clusterId);
  const bytes = usedBytes() - before;
  const { nodeCount: nodes, edgeCount: edges, objectCount: objects } = back.graph;
  graphs.close();
  await store.close();
  return { nodes, edges, objects, bytes, firstSeconds: first.seconds, backSeconds: back.seconds };
}

async function timed(graphs: ClusterGraphs, clusterId: string) {
  const startMs = performance.now();
  const found = await graphs.current(clusterId);
  if (found === undefined) throw new Error("Nothing was told of the cluster.");
  return { graph: found.graph, seconds: (performance.now() - startMs) / 1000 };
}

function usedBytes(): number {
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

answerCommands({ load: () => load() });
