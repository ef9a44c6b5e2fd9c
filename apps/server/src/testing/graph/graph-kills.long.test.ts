import { setTimeout as sleep } from "node:timers/promises";

import type { Random } from "@bowline/core";
import { seededRandom } from "@bowline/core/testing";
import { postgresSchemas } from "@bowline/store/testing";
import { expect, test } from "vitest";

import { faultSeed } from "../crash/fault-seed.ts";
import { differences } from "../crash/kept-promises.ts";
import { Fleet } from "../fleet/fleet.ts";
import { calm, observeWidgets, settleLimitMs, type Moment } from "./calm.ts";
import { ChangingCluster } from "./changing-cluster.ts";
import { GraphTrouble } from "./graph-trouble.ts";
import { ServedGraphs } from "./served-graphs.ts";
import { storedGraph, toldGraph } from "./stored-graph.ts";
import { trueGraph } from "./true-graph.ts";

const rounds = 4;
const strikesPerRound = 3;
const mostChanges = 40;

interface Trial {
  readonly kubernetes: string;
  /** ConfigMaps that are there from the beginning, so that one page does not hold them all. */
  readonly ballast: number;
  /** Several of them share a PostgreSQL; one has a SQLite of its own. */
  readonly servers: readonly string[];
}

const schemas = postgresSchemas({ durable: true });

const trials: readonly Trial[] = [
  { kubernetes: "v1.36.4", ballast: 0, servers: ["one"] },
  // Reads everything in lists, page by page.
  { kubernetes: "v1.20.2", ballast: 1_100, servers: ["one"] },
  { kubernetes: "v1.36.4", ballast: 0, servers: ["one", "two"] },
];

async function open({ kubernetes, ballast, servers }: Trial, random: Random) {
  const replicas =
    servers.length > 1 ? { replicas: { names: servers, databaseUrl: await schemas.create() } } : {};
  const sim = { version: kubernetes, bookmarkIntervalMs: 500 };
  const fleet = await Fleet.open(["north"], { sim, ...replicas });
  const [cluster] = fleet.clusters;
  if (cluster === undefined) throw new Error("A fleet has a cluster.");
  await observeWidgets(fleet, cluster.name);
  const changing = new ChangingCluster(cluster.sim, random);
  changing.begin(ballast);
  const meanwhile = (): void => changing.changes(Math.floor(random() * mostChanges));
  const trouble = new GraphTrouble({ fleet, cluster, random, changing, meanwhile });
  return { fleet, cluster, trouble, meanwhile };
}

/** Where the graph of an earlier moment is not what was there. */
async function mistakes(served: ServedGraphs, moments: readonly Moment[]): Promise<string[]> {
  const found: string[] = [];
  for (const { atMs, lines } of moments) found.push(...differences(lines, await served.at(atMs)));
  return found;
}

test.each(trials)(
  `the graph of a cluster of $kubernetes is what is there, through changes, kills and faults, with servers $servers (FAULT_SEED=${faultSeed})`,
  { timeout: 300_000 },
  async (trial) => {
    const random = seededRandom(faultSeed);
    const { fleet, cluster, trouble, meanwhile } = await open(trial, random);
    const moments = [await calm(fleet, cluster)];
    const isShared = fleet.servers.length > 1;
    const followers = isShared ? [await ServedGraphs.open(fleet, cluster.name)] : [];
    for (let round = 0; round < rounds; round += 1) {
      for (let strike = 0; strike < strikesPerRound; strike += 1) {
        meanwhile();
        await sleep(random() * 300);
        await trouble.strike();
        meanwhile();
      }
      moments.push(await calm(fleet, cluster));
      for (const follower of followers) {
        // The cluster goes on by itself: jobs end, and pods become ready.
        const behind = async (): Promise<string[]> =>
          differences(trueGraph(cluster.name, cluster.sim), await follower.now());
        await expect.poll(behind, { timeout: settleLimitMs, interval: 200 }).toEqual([]);
        expect(await mistakes(follower, moments)).toEqual([]);
      }
    }
    for (const { atMs, lines } of moments) {
      expect(differences(lines, await toldGraph(fleet, cluster.name, atMs))).toEqual([]);
    }
    for (const server of fleet.servers) await server.kill();
    await cluster.agents[0]?.kill();
    const served = await ServedGraphs.open(fleet, cluster.name);
    expect(differences(await storedGraph(fleet, cluster.name), await served.now())).toEqual([]);
    expect(await mistakes(served, moments)).toEqual([]);
  },
);
