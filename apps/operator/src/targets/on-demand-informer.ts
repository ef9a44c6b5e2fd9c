import { isDeepStrictEqual } from "node:util";

import type { ResourceRef } from "@bowline/kube";
import type { Facts } from "@bowline/monitoring";

import type { ScopedInformer } from "../watch/scoped-informer.ts";

interface OnDemandInformerOptions<T> {
  readonly resource: ResourceRef;
  readonly create: (resource: ResourceRef) => ScopedInformer<T>;
  /** Something is different from what was read before, or all has been read. */
  readonly onChange: () => void;
}

/**
 * - unwanted: nothing is read
 * - reading: not everything has been read yet
 * - ready: what is here is what the server has
 * - forbidden: the server does not let us read it, or no longer
 * - unserved: the server does not know the kind
 */
export type OnDemandState = "unwanted" | "reading" | "ready" | "forbidden" | "unserved";

/** The objects of a kind while somebody wants them; nothing is watched, and nothing kept, while nobody does. */
export class OnDemandInformer<T> implements Facts<T> {
  readonly resource: ResourceRef;
  readonly #options: OnDemandInformerOptions<T>;
  readonly #ending = new Set<Promise<void>>();
  #informer: ScopedInformer<T> | undefined;

  constructor(options: OnDemandInformerOptions<T>) {
    this.resource = options.resource;
    this.#options = options;
  }

  want(): void {
    if (this.#informer !== undefined) return;
    const { create, onChange, resource } = this.#options;
    const informer = create(resource);
    this.#informer = informer;
    let isRead = false;
    const tell = (): void => {
      if (isRead && this.#informer === informer) onChange();
    };
    informer.addHandler({
      add: tell,
      // Most changes of a pod are about something else than what is kept of it.
      update: (before, after) => {
        if (!isDeepStrictEqual(before, after)) tell();
      },
      delete: tell,
      synced: () => {
        isRead = true;
        tell();
      },
    });
    informer.start();
  }

  leave(): void {
    const informer = this.#informer;
    if (informer === undefined) return;
    this.#informer = undefined;
    const ending = informer.stop().finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }

  /** Resolves when nothing is open any more. */
  async stop(): Promise<void> {
    this.leave();
    await Promise.all(this.#ending);
  }

  state(): OnDemandState {
    if (this.#informer === undefined) return "unwanted";
    const { synced, error } = this.#informer.state();
    if (error?.code === "Forbidden") return "forbidden";
    if (error?.code === "NotFound") return "unserved";
    return synced ? "ready" : "reading";
  }

  list(): T[] {
    return this.#informer?.list() ?? [];
  }

  get(namespace: string, name: string): T | undefined {
    return this.#informer?.get(namespace, name);
  }
}
