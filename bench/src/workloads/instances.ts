import type { WorkloadInstance } from "@bowline/api";

import { forEachAtOnce } from "../agents/for-each-at-once.ts";
import { nowMs } from "../api/measurement.ts";
import { ask } from "../tunnel/ask.ts";
import type { ServerTarget } from "../tunnel/product-server.ts";
import { ApiWatch } from "./api-watch.ts";
import { manifestsOf } from "./sample-workload.ts";

/** A workload, and the clusters it goes to. */
export interface PlacedWorkload {
  readonly name: string;
  readonly clusters: readonly string[];
  readonly objects: readonly object[];
}

const postsAtOnce = 8;
/** What is not ready by then never will be. */
const readyLimitMs = 240_000;

/** Makes a definition and an instance of each, as `bowline deploy` does. */
export async function deploy(api: ServerTarget, workloads: readonly PlacedWorkload[]): Promise<void> {
  const post = (path: string, body: object): Promise<string> => ask(api, { method: "POST", path, body });
  await forEachAtOnce(workloads, postsAtOnce, async ({ name, clusters, objects }) => {
    const manifests = manifestsOf(objects);
    await post("/api/v1/workloaddefinitions", {
      metadata: { name },
      spec: { source: { inline: { manifests } } },
    });
    await post("/api/v1/workloadinstances", {
      metadata: { name },
      spec: { definition: name, placement: { clusters } },
    });
  });
}

/** Watches instances through the API until all of them are ready: applied, and healthy. */
export class ReadyWatch implements Disposable {
  readonly #missing: Set<string>;
  readonly #done = Promise.withResolvers<number>();
  #watch: ApiWatch<WorkloadInstance> | undefined;

  static async open(api: ServerTarget, names: readonly string[]): Promise<ReadyWatch> {
    const ready = new ReadyWatch(names);
    const path = "/api/v1/workloadinstances?watch=1";
    ready.#watch = await ApiWatch.open<WorkloadInstance>(api, path, ({ object }) => ready.#see(object));
    return ready;
  }

  private constructor(names: readonly string[]) {
    this.#missing = new Set(names);
  }

  /** Resolves to when the last of them was seen to be ready; wall clock. */
  async all(): Promise<number> {
    const limit = setTimeout(() => {
      const some = [...this.#missing].slice(0, 5).join(", ");
      this.#done.reject(new Error(`${this.#missing.size} instances are not ready: ${some}`));
    }, readyLimitMs);
    try {
      return await this.#done.promise;
    } finally {
      clearTimeout(limit);
    }
  }

  [Symbol.dispose](): void {
    this.#watch?.[Symbol.dispose]();
  }

  #see(instance: WorkloadInstance | undefined): void {
    if (instance === undefined) return;
    const { metadata, status } = instance;
    const ready = status.conditions.find(({ type }) => type === "Ready");
    if (ready?.status !== "True" || ready.observedGeneration !== metadata.generation) return;
    this.#missing.delete(metadata.name);
    if (this.#missing.size === 0) this.#done.resolve(nowMs());
  }
}
