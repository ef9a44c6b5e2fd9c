/** Simulated clusters in a process of their own, and whatever happens in them without Bowline. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { startKubesim, type Kubesim } from "@bowline/kubesim";

import { nowMs } from "../api/measurement.ts";
import { answerCommands } from "../measure-process.ts";
import { SimEditor } from "./sim-editor.ts";
import { writeEvents } from "./sim-events.ts";
import { fillDeployments } from "./sim-fill.ts";
import type { Created, EditOrder, EventsOrder, FillOrder, StartedSim, StartOrder } from "./sim-order.ts";

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
      const kubeconfigPath = join(folder, `${name}.kubeconfig`);
      await writeFile(kubeconfigPath, sim.kubeconfig());
      sims.push({ sim, name, kubeconfigPath });
      return { name, kubeconfigPath };
    }),
  );
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
  fill: (order: FillOrder) => fillDeployments(running(), order),
});
