import { ConfigSource, WorkloadPlacement } from "@bowline/api";
import type { Clock, Metrics, Random } from "@bowline/core";
import { findCondition } from "@bowline/runtime";
import { LogInformer, typed, type Change, type Store } from "@bowline/store";

import { findObjects } from "./find-objects.ts";

export interface HeldPrunesOptions {
  readonly store: Pick<Store, "objects" | "changes">;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly random: Random;
}

/** The condition of each kind that says when a prune is held. */
const telling = { WorkloadPlacement: "Applied", ConfigSource: "UpToDate" } as const;
const kinds = [WorkloadPlacement.kind, ConfigSource.kind];

/** Counts deletions that wait for somebody to approve them. It follows the log, so that every replica knows all of them. */
export class HeldPrunes {
  readonly #held = new Set<string>();
  readonly #informer: LogInformer<Change>;

  constructor(options: HeldPrunesOptions) {
    const { store, metrics } = options;
    metrics.gauge({
      name: "bowline_prune_held",
      help: "Objects whose deletions of others wait for an approval, by kind: placements and sources of configuration.",
      labelNames: ["kind"],
      collect: (gauge) => {
        for (const kind of kinds) gauge.set({ kind }, this.#count(kind));
      },
    });
    this.#informer = new LogInformer({
      ...options,
      log: store.changes,
      kinds,
      list: () => this.#list(store),
      handle: (changes) => {
        for (const change of changes) this.#note(change);
      },
    });
  }

  start(): Promise<void> {
    return this.#informer.start();
  }

  close(): Promise<void> {
    return this.#informer.close();
  }

  async #list({ objects }: Pick<Store, "objects">): Promise<void> {
    const fields = (condition: string): string => `status.conditions.${condition}=False`;
    const placements = await findObjects(objects, WorkloadPlacement, {
      fields: fields(telling.WorkloadPlacement),
    });
    const sources = await findObjects(objects, ConfigSource, { fields: fields(telling.ConfigSource) });
    this.#held.clear();
    for (const { metadata, status } of placements) {
      this.#set(keyOf(WorkloadPlacement.kind, metadata.name), isHeld(status, telling.WorkloadPlacement));
    }
    for (const { metadata, status } of sources) {
      this.#set(keyOf(ConfigSource.kind, metadata.name), isHeld(status, telling.ConfigSource));
    }
  }

  #note({ kind, name, type, object }: Change): void {
    const status =
      kind === ConfigSource.kind
        ? isHeld(typed(ConfigSource, object).status, telling.ConfigSource)
        : isHeld(typed(WorkloadPlacement, object).status, telling.WorkloadPlacement);
    this.#set(keyOf(kind, name), type !== "DELETED" && status);
  }

  #set(key: string, held: boolean): void {
    if (held) this.#held.add(key);
    else this.#held.delete(key);
  }

  #count(kind: string): number {
    return [...this.#held].filter((key) => key.startsWith(`${kind}/`)).length;
  }
}

function keyOf(kind: string, name: string): string {
  return `${kind}/${name}`;
}

function isHeld({ conditions }: Pick<WorkloadPlacement["status"], "conditions">, type: string): boolean {
  return findCondition(conditions, type)?.reason === "PruneHeld";
}
