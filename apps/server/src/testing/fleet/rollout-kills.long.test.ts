import { setTimeout as sleep } from "node:timers/promises";

import type { WorkloadInstance } from "@bowline/api";
import type { Random } from "@bowline/core";
import { seededRandom } from "@bowline/core/testing";
import { expect, test } from "vitest";

import { faultSeed } from "../crash/fault-seed.ts";
import { differences } from "../crash/kept-promises.ts";
import { AcceptedWrites, ownedObjects } from "./accepted-writes.ts";
import { Fleet } from "./fleet.ts";
import { Rollout } from "./rollout.ts";

const kills = 30;
const instances = 20;
/** As much as may happen before the next kill, and as long as it may take. */
const maxWrites = 15;
const maxWaitMs = 3_000;
const settleLimitMs = 90_000;

/** Ends the server, an agent, or its connections to one of both sides, and brings back what it has ended. */
async function strike({ server, clusters }: Fleet, random: Random): Promise<void> {
  const cluster = clusters[Math.floor(random() * clusters.length)];
  const chance = random();
  if (chance < 0.35) {
    await server.kill();
    server.launch();
  } else if (chance < 0.6) {
    await cluster?.agents[0]?.kill();
    await cluster?.agents[0]?.launch();
  } else if (chance < 0.85) {
    cluster?.toApiServer.cut();
  } else {
    cluster?.toServer.cut();
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
function rowsAbout(fleet: Fleet, cluster: string): string[] {
  return fleet
    .query<InventoryRow>(
      `select o.name as cluster, i.kind, i.namespace, i.name, i.uid, i.state
       from inventory i left join objects o on o.id = i.cluster_id`,
    )
    .filter((row) => row.cluster === cluster)
    .map(({ kind, namespace, name, uid, state }) => `${kind} ${namespace}/${name} ${state} ${uid}`);
}

test(
  `a rollout of ${instances} instances through ${kills} kills ends exactly as it should (FAULT_SEED=${faultSeed})`,
  { timeout: 240_000 },
  async () => {
    const random = seededRandom(faultSeed);
    const fleet = await Fleet.open(["north", "south", "west"]);
    const writes = new AcceptedWrites(fleet.clusters);
    const rollout = new Rollout(fleet, random, instances);
    const actions = rollout.actions();
    for (let kill = 0; kill < kills; kill += 1) {
      const due = Math.ceil(((kill + 1) / kills) * actions.length);
      const first = Math.ceil((kill / kills) * actions.length);
      for (const action of actions.slice(first, due)) await action();
      await Promise.race([writes.more(Math.floor(random() * maxWrites)), sleep(maxWaitMs)]);
      await strike(fleet, random);
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

    await fleet.server.kill();
    for (const cluster of fleet.clusters) {
      const owned = ownedObjects(cluster).map((each) => each.replace(/ \d+ (?=\S+$)/u, " applied "));
      expect(differences(owned, rowsAbout(fleet, cluster.name))).toEqual([]);
    }
    // That an API server broke off is told once; that agents are on their way back is no error.
    expect(fleet.record.errors.filter((line) => !line.includes("broke off"))).toEqual([]);
  },
);
