import { watchBackoff, type BowlineError, type Clock, type Random } from "@bowline/core";
import { createInformer, type Informer, type KubeClient, type ResourceRef } from "@bowline/kube";

import { watchForbidden, type WatchProblem } from "../observe/kind-watch.ts";
import { watchedWorkload, type WatchedWorkload } from "./watched-workload.ts";

export interface WorkloadsWatchOptions {
  readonly client: KubeClient;
  readonly changed: (before: WatchedWorkload | undefined, after: WatchedWorkload | undefined) => void;
  /** All that existed were told. */
  readonly synced: () => void;
  readonly onError: (error: BowlineError) => void;
  readonly clock: Clock;
  readonly random: Random;
}

/** As `packages/api` defines it. */
export const workloadsResource: ResourceRef = {
  group: "bowline.dev",
  version: "v1alpha1",
  plural: "workloads",
  kind: "Workload",
  namespaced: false,
};

/** How long until Workloads are asked for again, at most: where there are none yet, and where it is forbidden. */
const missingBackoffMs = 2_000;
const forbiddenBackoffMs = 30_000;

/** Follows the Workloads of the cluster; waits for their definition, and for the right to read them. */
export class WorkloadsWatch {
  readonly #informer: Informer<WatchedWorkload>;

  constructor({ client, changed, synced, onError, clock, random }: WorkloadsWatchOptions) {
    const isForbidden = (): boolean => this.error?.code === "Forbidden";
    this.#informer = createInformer<WatchedWorkload>({
      transport: client.transport,
      resource: workloadsResource,
      project: watchedWorkload,
      fields: { spec: { resources: true } },
      backoff: {
        ...watchBackoff,
        // The definition comes with the first workload at the latest, and then somebody waits; rights come from people.
        get maxMs() {
          return isForbidden() ? forbiddenBackoffMs : missingBackoffMs;
        },
      },
      onError,
      clock,
      random,
    });
    this.#informer.addHandler({
      add: (workload) => changed(undefined, workload),
      update: (before, workload) => changed(before, workload),
      delete: (workload) => changed(workload, undefined),
      synced,
    });
    this.#informer.start();
  }

  get phase(): string {
    return this.#informer.state().phase;
  }

  get size(): number {
    return this.#informer.state().objects;
  }

  get error(): BowlineError | undefined {
    return this.#informer.state().error;
  }

  get isSynced(): boolean {
    return this.#informer.state().synced;
  }

  list(): readonly WatchedWorkload[] {
    return this.#informer.list();
  }

  /** Resolves when it is known which there are; rejects when the signal aborts first. */
  ready(signal: AbortSignal): Promise<void> {
    return this.#informer.synced(signal);
  }

  stop(): Promise<void> {
    return this.#informer.stop();
  }
}

/** None for failures that go away by themselves. */
export function watchProblem(
  resource: ResourceRef,
  error: BowlineError | undefined,
): WatchProblem | undefined {
  if (error?.code === "Forbidden") return watchForbidden(resource);
  if (error?.code !== "NotFound") return undefined;
  const message = `The cluster has no ${resource.plural}.${resource.group}: apply their definition, which is in the manifest of bowline cluster add.`;
  return { reason: "KindUnknown", message };
}
