import { setTimeout as sleep } from "node:timers/promises";

import type { WorkloadInstance } from "@bowline/api";
import type { Random } from "@bowline/core";
import { seededRandom } from "@bowline/core/testing";
import { postgresSchemas } from "@bowline/store/testing";
import { expect, test } from "vitest";

import { faultSeed } from "../crash/fault-seed.ts";
import { differences } from "../crash/kept-promises.ts";
import type { ServerProcess } from "../crash/server-process.ts";
import { AcceptedWrites, ownedObjects } from "./accepted-writes.ts";
import { Fleet } from "./fleet.ts";
import { Rollout } from "./rollout.ts";

/** As much as may happen before the next kill, and as long as it may take. */
const maxWrites = 15;
const maxWaitMs = 3_000;
const settleLimitMs = 90_000;

interface Trial {
  readonly servers: string;
  readonly clusters: readonly string[];
  readonly instances: number;
  readonly kills: number;
  /** How often it is a server that is ended, of all times. */
  readonly serverShare: number;
  readonly open: (clusters: readonly string[]) => Promise<Fleet>;
}

const schemas = postgresSchemas({ durable: true });

const trials: readonly Trial[] = [
  {
    servers: "one server on SQLite",
    clusters: ["north", "south", "west"],
    instances: 20,
    kills: 30,
    serverShare: 0.35,
    open: (clusters) => Fleet.open(clusters),
  },
  {
    servers: "two servers on PostgreSQL",
    clusters: ["north", "south"],
    instances: 8,
    kills: 6,
    serverShare: 0.6,
    open: async (clusters) =>
      Fleet.open(clusters, { replicas: { names: ["one", "two"], databaseUrl: await schemas.create() } }),
  },
];

/**
 * Ends a server, an agent, or its connections to one of both sides. What it has ended comes back at once. Of two servers
 * the one that was ended stays away until a server is ended again, if ever: the other does everything meanwhile.
 */
class Striker {
  readonly #fleet: Fleet;
  readonly #random: Random;
  readonly #serverShare: number;
  #down: ServerProcess | undefined;

  constructor(fleet: Fleet, random: Random, { serverShare }: Trial) {
    this.#fleet = fleet;
    this.#random = random;
    this.#serverShare = serverShare;
  }

  async strike(): Promise<void> {
    const { clusters, servers } = this.#fleet;
    const cluster = this.#oneOf(clusters);
    const chance = this.#random();
    const rest = 1 - this.#serverShare;
    if (chance < this.#serverShare) {
      await this.bringBack();
      this.#down = this.#oneOf(servers);
      await this.#down?.kill();
      if (servers.length === 1) await this.bringBack();
    } else if (chance < 1 - 0.6 * rest) {
      await cluster?.agents[0]?.kill();
      await cluster?.agents[0]?.launch();
    } else if (chance < 1 - 0.2 * rest) {
      cluster?.toApiServer.cut();
    } else {
      this.#oneOf(cluster?.toServers ?? [])?.cut();
    }
  }

  /** Of two servers both are never away: the one that comes back listens before the other is ended. */
  async bringBack(): Promise<void> {
    const server = this.#down;
    this.#down = undefined;
    if (this.#fleet.servers.length === 1) server?.launch();
    else await server?.start();
  }

  #oneOf<T>(all: readonly T[]): T | undefined {
    return all[Math.floor(this.#random() * all.length)];
  }
}

interface InventoryRow {
  readonly cluster: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string | null;
  readonly state: string;
}

/** `kind namespace/name state uid` of the rows about a cluster. */
async function rowsAbout(fleet: Fleet, cluster: string): Promise<string[]> {
  const rows = await fleet.query<InventoryRow>(
    `select o.name as cluster, i.kind, i.namespace, i.name, i.uid, i.state
     from inventory i left join objects o on o.id = i.cluster_id`,
  );
  return rows
    .filter((row) => row.cluster === cluster)
    .map(({ kind, namespace, name, uid, state }) => `${kind} ${namespace}/${name} ${state} ${uid}`);
}

test.each(trials)(
  `a rollout of $instances instances through $kills kills ends exactly as it should, with $servers (FAULT_SEED=${faultSeed})`,
  { timeout: 240_000 },
  async (trial) => {
    const { kills, instances } = trial;
    const random = seededRandom(faultSeed);
    const fleet = await trial.open(trial.clusters);
    const writes = new AcceptedWrites(fleet.clusters);
    const rollout = new Rollout(fleet, random, instances);
    const striker = new Striker(fleet, random, trial);
    const actions = rollout.actions();
    for (let kill = 0; kill < kills; kill += 1) {
      const due = Math.ceil(((kill + 1) / kills) * actions.length);
      const first = Math.ceil((kill / kills) * actions.length);
      for (const action of actions.slice(first, due)) await action();
      await Promise.race([writes.more(Math.floor(random() * maxWrites)), sleep(maxWaitMs)]);
      await striker.strike();
    }

    const unready = async (): Promise<string[]> =>
      (await fleet.list<WorkloadInstance>("workloadinstances"))
        .map(({ metadata, status }) => {
          const ready = status.conditions.find(({ type }) => type === "Ready");
          const isCurrent = ready?.observedGeneration === metadata.generation;
          return { name: metadata.name, ready: isCurrent ? ready : undefined };
        })
        .filter(({ ready }) => ready?.status !== "True")
        .map(({ name, ready }) => `${name} ${ready?.reason}: ${ready?.message}`);
    await expect.poll(unready, { timeout: settleLimitMs, interval: 500 }).toEqual([]);
    const found = await fleet.list<WorkloadInstance>("workloadinstances");
    expect(found.map(({ metadata }) => metadata.name).toSorted()).toEqual(rollout.instances.toSorted());

    for (const cluster of fleet.clusters) {
      const owned = ownedObjects(cluster);
      const withoutUid = owned.map((each) => each.slice(0, each.lastIndexOf(" ")));
      expect(differences(rollout.expectedIn(cluster.name), withoutUid)).toEqual([]);
      const workloads = [...cluster.sim.api.list("workloads.bowline.dev")].map(
        ({ metadata }) => metadata.name,
      );
      const placed = rollout.placements.filter((each) => each.endsWith(` ${cluster.name}`));
      expect(workloads.map((name) => `${name} ${cluster.name}`).toSorted()).toEqual(placed.toSorted());
    }
    expect(writes.problems).toEqual([]);

    for (const server of fleet.servers) await server.kill();
    for (const cluster of fleet.clusters) {
      const owned = ownedObjects(cluster).map((each) => each.replace(/ \d+ (?=\S+$)/u, " applied "));
      expect(differences(owned, await rowsAbout(fleet, cluster.name))).toEqual([]);
    }
    // That an API server broke off is told once; that agents are on their way back is no error.
    expect(fleet.record.errors.filter((line) => !line.includes("broke off"))).toEqual([]);
  },
);
