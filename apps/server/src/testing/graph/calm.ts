import { setTimeout as sleep } from "node:timers/promises";

import { expect } from "vitest";

import { differences } from "../crash/kept-promises.ts";
import type { Fleet, FleetCluster } from "../fleet/fleet.ts";
import { storedGraph, toldGraph } from "./stored-graph.ts";
import { trueGraph, type GraphLines, type ObjectsOf } from "./true-graph.ts";

/** However much is loaded on the machine, a graph is right by then. */
export const settleLimitMs = 90_000;
/** So long nothing changes before a moment counts as calm. */
const calmMs = 50;

/** A moment at which the graph was that of the cluster, and that graph. */
export interface Moment {
  readonly atMs: number;
  readonly lines: GraphLines;
}

/** Waits until the server has the graph of the cluster, or of these objects, and nothing happens there. */
export async function calm(fleet: Fleet, { name, sim }: FleetCluster, objects?: ObjectsOf): Promise<Moment> {
  const difference = async (): Promise<string[]> => {
    const stored = differences(trueGraph(name, sim, objects), await storedGraph(fleet, name));
    if (stored.length > 0) return stored;
    return differences(trueGraph(name, sim, objects), await toldGraph(fleet, name));
  };
  for (;;) {
    await expect.poll(difference, { timeout: settleLimitMs, interval: 200 }).toEqual([]);
    const lines = trueGraph(name, sim, objects);
    await sleep(calmMs);
    const atMs = Date.now();
    await sleep(calmMs);
    const isSame = differences(lines, trueGraph(name, sim, objects)).length === 0;
    if (isSame && (await difference()).length === 0) return { atMs, lines };
  }
}

/** The custom kind of clusters that change is one of those that are observed when somebody says so. */
export async function observeWidgets(fleet: Fleet, cluster: string): Promise<void> {
  const observedKinds = [{ group: "example.com", version: "v1", resource: "widgets" }];
  await fleet.put("clusters", cluster, { agent: { observedKinds } });
}
