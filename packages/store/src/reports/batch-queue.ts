import { BowlineError } from "@bowline/core";

import type { ReportKey } from "./report.ts";

interface QueuedBatch {
  readonly key: ReportKey;
  readonly items: readonly unknown[];
}

/** What a batch has done, or why it is not stored. */
export type BatchOutcome<Stored> = Stored | BowlineError;

interface Waiting<Batch, Stored> {
  readonly batch: Batch;
  readonly settle: (outcome: BatchOutcome<Stored>) => void;
}

/** SQLite works without a break: so many items take it some tens of milliseconds. */
const maxItems = 1_000;

/**
 * Stores batches that arrive while others are being stored together with each other, one transaction at a time: the
 * flush to disk, and with PostgreSQL the round trips, are paid once for all of them. Clusters take turns, so that one
 * with much to report does not hold up the others. It holds what it is handed: who hands it over waits for the outcome.
 */
export class BatchQueue<Batch extends QueuedBatch, Stored extends object> {
  readonly #store: (batches: readonly Batch[]) => Promise<BatchOutcome<Stored>[]>;
  /** By cluster, in the order of whose turn it is. */
  readonly #waiting = new Map<string, Waiting<Batch, Stored>[]>();
  #running: Promise<void> | undefined;

  constructor(store: (batches: readonly Batch[]) => Promise<BatchOutcome<Stored>[]>) {
    this.#store = store;
  }

  /** Batches of one cluster are stored in the order in which they are handed over. */
  add(batch: Batch): Promise<Stored> {
    return new Promise((resolve, reject) => {
      const settle = (outcome: BatchOutcome<Stored>): void => {
        if (outcome instanceof BowlineError) reject(outcome);
        else resolve(outcome);
      };
      const { clusterId } = batch.key;
      const others = this.#waiting.get(clusterId);
      if (others === undefined) this.#waiting.set(clusterId, [{ batch, settle }]);
      else others.push({ batch, settle });
      this.#running ??= this.#storeAll();
    });
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  async #storeAll(): Promise<void> {
    while (this.#waiting.size > 0) await this.#storeNext(this.#take());
    this.#running = undefined;
  }

  /** The database refuses a group as a whole; where one batch is to blame, the others are to be stored all the same. */
  async #storeNext(group: readonly Waiting<Batch, Stored>[]): Promise<void> {
    try {
      const outcomes = await this.#store(group.map(({ batch }) => batch));
      group.forEach(({ settle }, index) => {
        const outcome = outcomes[index];
        if (outcome !== undefined) settle(outcome);
      });
    } catch (thrown) {
      const error = BowlineError.from(thrown);
      if (group.length === 1 || error.retryable) for (const { settle } of group) settle(error);
      else for (const alone of group) await this.#storeNext([alone]);
    }
  }

  /** One batch of each cluster in turn, until there are enough items; at least one batch. */
  #take(): Waiting<Batch, Stored>[] {
    const group: Waiting<Batch, Stored>[] = [];
    let items = 0;
    for (const [clusterId, waiting] of this.#waiting) {
      const next = waiting[0];
      const size = next?.batch.items.length ?? 0;
      if (group.length > 0 && items + size > maxItems) break;
      // The next turn of the cluster comes after those of the others; a map visits what is added while it is walked.
      this.#waiting.delete(clusterId);
      waiting.shift();
      if (waiting.length > 0) this.#waiting.set(clusterId, waiting);
      if (next !== undefined) group.push(next);
      items += size;
    }
    return group;
  }
}

/** One batch that is refused leaves the others of its transaction alone. */
export function outcomeOf<Stored>(work: () => Stored): BatchOutcome<Stored> {
  try {
    return work();
  } catch (error) {
    return BowlineError.from(error);
  }
}
