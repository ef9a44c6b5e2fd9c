import { setTimeout as sleep } from "node:timers/promises";

import { asRecord } from "@bowline/core";
import { connect, KubeClient, loadKubeconfig, resources, type ResourceRef } from "@bowline/kube";
import type { Kubesim, SimObject } from "@bowline/kubesim";

import { podsPerWorkload, wantedValue } from "./sample-workload.ts";
import type { EditOrder } from "./sim-order.ts";

/** Something that people change, and how it is known that it is as it was. */
interface Edit {
  readonly resource: ResourceRef;
  readonly plural: string;
  readonly patch: object;
  readonly isRight: (object: SimObject) => boolean;
}

const edits: readonly Edit[] = [
  {
    resource: resources.configMaps,
    plural: "configmaps",
    patch: { data: { setting: "changed by hand" } },
    isRight: ({ data }) => asRecord(data)["setting"] === wantedValue,
  },
  {
    resource: resources.deployments,
    plural: "deployments.apps",
    patch: { spec: { replicas: podsPerWorkload + 1 } },
    isRight: ({ spec }) => asRecord(spec)["replicas"] === podsPerWorkload,
  },
];

/** What is not set right by then never will be. */
const limitMs = 30_000;

/** Changes objects as a person with kubectl does, and sees when they are as they were. */
export class SimEditor {
  readonly #sims: readonly EditedSim[];

  constructor(sims: readonly EditedSim[]) {
    this.#sims = sims;
  }

  /** Milliseconds from each change to when it was set right, as the clusters have stored them. */
  async edit({ prefix, edits: count, pauseMs }: EditOrder): Promise<number[]> {
    const targets = this.#targets(prefix);
    if (targets.length < count) throw new Error(`There are only ${targets.length} objects to change.`);
    const latenciesMs: number[] = [];
    for (const target of targets.slice(0, count)) {
      latenciesMs.push(await this.#change(target));
      await sleep(pauseMs);
    }
    return latenciesMs;
  }

  /** In such an order that neighbours are in different clusters. */
  #targets(prefix: string): Target[] {
    const bySim = this.#sims.map((edited) =>
      edits.flatMap((edit) =>
        [...edited.sim.api.list(edit.plural)]
          .filter(({ metadata }) => metadata.name.startsWith(prefix))
          .map(({ metadata: { name } }) => ({ ...edited, edit, name })),
      ),
    );
    const longest = Math.max(...bySim.map(({ length }) => length));
    return Array.from({ length: longest }, (_, at) => bySim.flatMap((targets) => targets[at] ?? [])).flat();
  }

  async #change({ sim, kubeconfigPath, edit, name }: Target): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    let changedAtMs: number | undefined;
    const unsubscribe = sim.api.subscribe(edit.plural, ({ object }) => {
      if (object.metadata.name !== name) return;
      if (!edit.isRight(object)) changedAtMs ??= performance.now();
      else if (changedAtMs !== undefined) resolve(performance.now() - changedAtMs);
    });
    const limit = setTimeout(
      () => reject(new Error(`${edit.resource.kind} ${name} was not set right`)),
      limitMs,
    );
    try {
      await editObject(kubeconfigPath, edit, name);
      return await promise;
    } finally {
      clearTimeout(limit);
      unsubscribe();
    }
  }
}

/** A simulated cluster, and the way into it for people. */
export interface EditedSim {
  readonly sim: Kubesim;
  readonly kubeconfigPath: string;
}

interface Target extends EditedSim {
  readonly edit: Edit;
  readonly name: string;
}

/** Over the network, as everybody: only there the server notes who has changed a field. */
async function editObject(kubeconfigPath: string, { resource, patch }: Edit, name: string): Promise<void> {
  const transport = connect(await loadKubeconfig({ paths: [kubeconfigPath] }));
  try {
    const options = { namespace: "default", name, type: "merge", fieldManager: "kubectl-edit" } as const;
    await new KubeClient(transport).patch(resource, patch, options);
  } finally {
    await transport.close();
  }
}
