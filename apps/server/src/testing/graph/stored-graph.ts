import { ClusterGraph } from "@bowline/graph";

import { putVersion } from "../../graph/loaded-graph.ts";
import type { Fleet } from "../fleet/fleet.ts";
import { linesOf, type GraphLines } from "./true-graph.ts";

interface VersionRow {
  readonly uid: string;
  readonly api_group: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly digest: string;
  readonly facts: string;
  /** A text where numbers of the database are larger than those of JavaScript. */
  readonly valid_from: number | string;
}

/** The graph of a cluster as the database has it, now or of a time, without any part of a server in between. */
export async function storedGraph(fleet: Fleet, cluster: string, atMs?: number): Promise<GraphLines> {
  const when =
    atMs === undefined
      ? `valid_to = ${Number.MAX_SAFE_INTEGER}`
      : `valid_from <= ${atMs} and valid_to > ${atMs}`;
  const rows = await fleet.query<VersionRow>(
    `select v.* from graph_versions v join objects o on o.id = v.cluster_id where o.name = '${cluster}' and ${when}`,
  );
  const graph = new ClusterGraph();
  for (const row of rows) putVersion(graph, { ...row, group: row.api_group, fromMs: Number(row.valid_from) });
  return linesOf(cluster, graph);
}

/** The graph of a cluster as a server tells it, now or as of a time. */
export async function toldGraph(fleet: Fleet, cluster: string, atMs?: number): Promise<GraphLines> {
  const at = atMs === undefined ? "" : `&at=${new Date(atMs).toISOString()}`;
  const text = await fleet.get(`graph/export?format=json&cluster=${cluster}${at}`);
  const { nodes, edges }: { readonly nodes: readonly object[]; readonly edges: readonly object[] } =
    JSON.parse(text);
  const lines = (word: string, all: readonly object[]): string[] =>
    all.map((each) => `${word} ${JSON.stringify(each)}`);
  return [...lines("node", nodes), ...lines("edge", edges)].toSorted();
}
