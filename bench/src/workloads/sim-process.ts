/** Simulated clusters in a process of their own, and whatever happens in them without Bowline. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { asRecord } from "@bowline/core";
import { startKubesim, type Kubesim } from "@bowline/kubesim";

import { nowMs } from "../api/measurement.ts";
import { answerCommands } from "../measure-process.ts";
import { SimEditor } from "./sim-editor.ts";
import { writeEvents } from "./sim-events.ts";
import { fillDeployments } from "./sim-fill.ts";
import type {
  Created,
  EditOrder,
  EventsOrder,
  FillOrder,
  StartedSim,
  StartOrder,
  VersionOrder,
} from "./sim-order.ts";

const workloadResources = [
  "serviceaccounts",
  "configmaps",
  "services",
  "poddisruptionbudgets.policy",
  "deployments.apps",
];
const instanceLabel = "bowline.dev/instance";
/** Enough for all pods of a cluster. */
const nodes = 3;

const sims: (StartedSim & { readonly sim: Kubesim })[] = [];
let created: Created = { count: 0, lastAtMs: 0 };

async function start({ folder, names, hasControllers }: StartOrder): Promise<StartedSim[]> {
  return Promise.all(
    names.map(async (name) => {
      const sim = await startKubesim(hasControllers ? { name, nodes } : { name, controllers: false });
      for (const resource of workloadResources) {
        sim.api.subscribe(resource, ({ type, object }) => {
          if (type !== "ADDED" || object.metadata.labels?.[instanceLabel] === undefined) return;
          created = { count: created.count + 1, lastAtMs: nowMs() };
        });
      }
      sim.api.subscribe("configmaps", ({ object }) => {
        const data = asRecord(object["data"]);
        if (typeof data["version"] === "string") noteVersion(name, data["version"]);
      });
      const kubeconfigPath = join(folder, `${name}.kubeconfig`);
      await writeFile(kubeconfigPath, sim.kubeconfig());
      sims.push({ sim, name, kubeconfigPath });
      return { name, kubeconfigPath };
    }),
  );
}

/** When each cluster was first seen with a version of what was pushed. */
const versions = new Map<string, Map<string, number>>();
const versionWaiters = new Set<() => void>();

function noteVersion(cluster: string, version: string): void {
  const seen = versions.get(version) ?? new Map<string, number>();
  if (!seen.has(cluster)) seen.set(cluster, nowMs());
  versions.set(version, seen);
  for (const look of versionWaiters) look();
}

/** Resolves when all clusters have the version. */
async function versionSeen({ version }: VersionOrder): Promise<number[]> {
  const { promise, resolve } = Promise.withResolvers<number[]>();
  const look = (): void => {
    const seen = versions.get(version);
    if (seen !== undefined && seen.size === sims.length) resolve([...seen.values()]);
  };
  versionWaiters.add(look);
  look();
  return promise.finally(() => versionWaiters.delete(look));
}

const running = (): Kubesim[] => sims.map(({ sim }) => sim);

answerCommands({
  start: (order: StartOrder) => start(order),
  created: () => {
    const until = created;
    created = { count: 0, lastAtMs: 0 };
    return Promise.resolve(until);
  },
  events: (order: EventsOrder) => writeEvents(running(), order),
  edit: (order: EditOrder) => new SimEditor(sims).edit(order),
  versionSeen: (order: VersionOrder) => versionSeen(order),
  fill: (order: FillOrder) => fillDeployments(running(), order),
});
