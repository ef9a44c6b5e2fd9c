import { setTimeout as sleep } from "node:timers/promises";

import type { WorkloadInstance } from "@bowline/api";
import { seededRandom } from "@bowline/core/testing";
import { describe, expect, onTestFinished, test } from "vitest";

import { faultSeed } from "../crash/fault-seed.ts";
import { Fleet, type FleetCluster } from "./fleet.ts";
import { Trouble } from "./trouble.ts";

/** How long the server is away; OUTAGE_SECONDS=300 for what is promised. */
const outageSeconds = Number(process.env["OUTAGE_SECONDS"] ?? 15);
const perSecond = 50;
const maxAgentBytes = 200 * 1024 * 1024;
const settled = { timeout: 60_000, interval: 250 };

const service = JSON.stringify({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "web" },
  spec: { ports: [{ port: 80 }] },
});

interface Scene {
  readonly fleet: Fleet;
  readonly cluster: FleetCluster;
  readonly trouble: Trouble;
}

/** A cluster in which a Service of an instance is in trouble all the time. */
async function openScene(agents: number): Promise<Scene> {
  const fleet = await Fleet.open(["edge"], { agents, nodes: 0 });
  const [cluster] = fleet.clusters;
  if (cluster === undefined) throw new Error("There is one cluster.");
  await fleet.put("workloaddefinitions", "shop", { source: { inline: { manifests: service } } });
  await fleet.put("workloadinstances", "web", { definition: "shop", placement: { clusters: ["edge"] } });
  const isReady = async (): Promise<boolean> => {
    const [instance] = await fleet.list<WorkloadInstance>("workloadinstances");
    return (
      instance?.status.conditions.some(({ type, status }) => type === "Ready" && status === "True") ?? false
    );
  };
  await expect.poll(isReady, settled).toBe(true);
  const about = cluster.sim.api.get("services", "default", "web");
  if (about === undefined) throw new Error("There is no Service.");
  const trouble = new Trouble(cluster, about);
  onTestFinished(() => trouble.stop());
  trouble.start(perSecond);
  await expect.poll(() => trouble.count).toBeGreaterThan(perSecond);
  return { fleet, cluster, trouble };
}

/** Nothing more happens; resolves to where the API still tells something else than the cluster, if it does. */
async function differenceAtEnd({ fleet, trouble }: Scene): Promise<string[]> {
  trouble.stop();
  await expect.poll(() => trouble.difference(fleet), settled).toEqual([]);
  return trouble.difference(fleet);
}

describe(`events of a cluster, ${perSecond} a second (FAULT_SEED=${faultSeed})`, () => {
  test(
    "none is lost and none is there twice when the agent is killed again and again",
    { timeout: 180_000 },
    async () => {
      const random = seededRandom(faultSeed);
      const scene = await openScene(1);
      const [agent] = scene.cluster.agents;
      for (let kills = 0; kills < 6; kills += 1) {
        await agent?.kill();
        // Now and then before it has told anything.
        await agent?.launch();
        await sleep(random() * 5_000);
      }
      expect(await differenceAtEnd(scene)).toEqual([]);
    },
  );

  test(
    "of two agents the other goes on where the one that reported was killed",
    { timeout: 180_000 },
    async () => {
      const scene = await openScene(2);
      const { sim, agents } = scene.cluster;
      const reporter = (): number => {
        const lease = sim.api.get("leases.coordination.k8s.io", "default", "bowline-agent");
        const { holderIdentity = "" }: { holderIdentity?: string } = lease?.["spec"] ?? {};
        return agents.findIndex((_, index) => holderIdentity.startsWith(`edge-${index}_`));
      };
      for (let kills = 0; kills < 2; kills += 1) {
        const first = reporter();
        expect(first).toBeGreaterThanOrEqual(0);
        await agents[first]?.kill();
        await expect.poll(reporter, settled).toBe(1 - first);
        const made = scene.trouble.count;
        await expect.poll(() => scene.trouble.told(scene.fleet), settled).toBeGreaterThanOrEqual(made);
        await agents[first]?.start();
      }
      expect(await differenceAtEnd(scene)).toEqual([]);
    },
  );

  test(
    `none is lost and none is there twice when the server is away for ${outageSeconds} s, and the agent's memory is bounded`,
    { timeout: 180_000 + outageSeconds * 1_000 },
    async ({ annotate }) => {
      const scene = await openScene(1);
      const { fleet, cluster, trouble } = scene;
      const [agent] = cluster.agents;
      if (agent === undefined) throw new Error("There is one agent.");
      const before = await agent.memory();
      await fleet.server.kill();
      const countBefore = trouble.count;
      const samples: number[] = [];
      for (let second = 0; second < outageSeconds; second += 1) {
        await sleep(1_000);
        samples.push((await agent.memory()).rssBytes);
      }
      const during = trouble.count - countBefore;
      await fleet.server.start();
      expect(await differenceAtEnd(scene)).toEqual([]);
      const { peakBytes } = await agent.memory();
      const mb = (bytes: number): string => `${Math.round(bytes / 1024 / 1024)} MiB`;
      await annotate(
        `${during} new events in ${outageSeconds} s; RSS ${mb(before.rssBytes)} before, ${mb(Math.max(...samples))} at most meanwhile, peak ${mb(peakBytes)}; every tenth: ${samples
          .filter((_, index) => index % Math.ceil(samples.length / 10) === 0)
          .map(mb)
          .join(", ")}`,
      );
      expect(peakBytes).toBeLessThan(maxAgentBytes);
    },
  );
});
