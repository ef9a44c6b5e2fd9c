/** A simulated cluster in a process of its own, and what happens in it. */
import { writeFile } from "node:fs/promises";

import { graphKinds } from "@bowline/graph";
import { startKubesim, type Kubesim } from "@bowline/kubesim";

import { answerCommands } from "../measure-process.ts";
import { changeCluster } from "./change-cluster.ts";
import { fillCluster } from "./fill-cluster.ts";
import type { ChangeOrder, FillOrder, KindCounts } from "./sim-order.ts";

let sim: Kubesim | undefined;

function running(): Kubesim {
  if (sim === undefined) throw new Error("The cluster was not started.");
  return sim;
}

async function fill({ kubeconfigPath, pods }: FillOrder): Promise<number> {
  sim = await startKubesim({ name: "bench", controllers: false });
  const count = await fillCluster(sim.api, pods);
  await writeFile(kubeconfigPath, sim.kubeconfig());
  return count;
}

/** Of the kinds that the graph knows, and this cluster too. */
async function count(): Promise<KindCounts> {
  const { url, api } = running();
  const counts: Record<string, number> = {};
  for (const { group, kind } of graphKinds) {
    const resource = resourceOf(group, kind);
    try {
      counts[`${group}/${kind}`] = [...api.list(resource)].length;
    } catch (error) {
      // A kind that comes with custom resources is none here.
      if (!String(error).includes("not found")) throw new Error(`${resource} of ${url}`, { cause: error });
    }
  }
  return Promise.resolve(counts);
}

/** `ingresses.networking.k8s.io` */
function resourceOf(group: string, kind: string): string {
  const lower = kind.toLowerCase();
  const plural = /[^aeiou]y$/u.test(lower)
    ? `${lower.slice(0, -1)}ies`
    : `${lower}${lower.endsWith("s") ? "es" : "s"}`;
  return group === "" ? plural : `${plural}.${group}`;
}

answerCommands({
  fill: (order: FillOrder) => fill(order),
  count: () => count(),
  change: (order: ChangeOrder) => changeCluster(running().api, order),
});
