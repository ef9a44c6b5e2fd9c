import { inParallel, type BowlineError } from "@bowline/core";
import type { InventoryItem } from "@bowline/store";

import type { EngineContext } from "../cluster/engine-context.ts";
import { Reach } from "../cluster/reach.ts";
import type { ObjectProblem, ObjectResult } from "../object-result.ts";
import type { KindTable } from "../render/kind-table.ts";
import { failedPrune, itemResult } from "./prune-result.ts";

/** What has happened so far to the objects that are to go. */
export class PruneRun {
  readonly context: EngineContext;
  readonly kinds: KindTable;
  readonly results: ObjectResult[] = [];
  /** Errors that pass by themselves. */
  readonly retries: BowlineError[] = [];
  readonly #reach = new Reach();
  readonly #gone: InventoryItem[] = [];

  constructor(context: EngineContext, kinds: KindTable) {
    this.context = context;
    this.kinds = kinds;
  }

  /** What fails for one object is told for that one; the others go on. */
  async each<T extends { readonly item: InventoryItem }>(
    candidates: readonly T[],
    work: (candidate: T) => Promise<void>,
  ): Promise<void> {
    const { signal } = this.context;
    await inParallel(candidates, async (candidate) => {
      signal.throwIfAborted();
      try {
        if (this.#reach.down !== undefined) throw this.#reach.down;
        await work(candidate);
        this.#reach.answered();
      } catch (error) {
        signal.throwIfAborted();
        const { result, retry } = failedPrune(candidate.item, error, await this.kinds.known(candidate.item));
        this.results.push(result);
        if (retry !== undefined) this.retry(retry);
      }
    });
  }

  retry(error: BowlineError): void {
    this.#reach.failed(error);
    this.retries.push(error);
  }

  /** Its row goes with the next `forgetGone`. */
  tellGone(
    item: InventoryItem,
    state: "pruned" | "released",
    told: Partial<ObjectProblem> & { readonly isWritten?: boolean } = {},
  ): void {
    this.#gone.push(item);
    this.results.push(itemResult(item, state, told));
  }

  async forgetGone(): Promise<void> {
    const { inventory, key, fence } = this.context;
    if (this.#gone.length > 0) await inventory.gone(key, this.#gone.splice(0), { fence });
  }
}
