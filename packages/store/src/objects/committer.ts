import { BowlineError, type Clock } from "@bowline/core";

import type { Engine } from "../engine/engine.ts";
import type { Transaction } from "../engine/transaction.ts";
import { CommitBatch, type Prefetch } from "./commit-batch.ts";

/** Something to be done to objects, in the transaction of a batch. What it throws fails it alone. */
export interface Operation<T> {
  readonly prefetch: Prefetch;
  run(batch: CommitBatch): Transaction<T>;
}

interface Waiting {
  readonly operation: Operation<unknown>;
  readonly settle: (outcome: Outcome) => void;
}

type Outcome =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: unknown };

/** SQLite works without a break; this many operations take it a few milliseconds. */
const maxBatchSize = 128;

/** Commits operations together that arrive while another commit is under way, one batch at a time. */
export class Committer {
  readonly #engine: Engine;
  readonly #clock: Pick<Clock, "now">;
  readonly #onCommit: (revision: number) => void;
  #waiting: Waiting[] = [];
  #running: Promise<void> | undefined;

  /** `onCommit` is told the number of the last change, after every commit that made one. */
  constructor(engine: Engine, clock: Pick<Clock, "now">, onCommit: (revision: number) => void) {
    this.#engine = engine;
    this.#clock = clock;
    this.#onCommit = onCommit;
  }

  submit<T>(operation: Operation<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const settle = (outcome: Outcome): void => {
        if (outcome.ok) resolve(outcome.value as T);
        else reject(outcome.error instanceof Error ? outcome.error : BowlineError.from(outcome.error));
      };
      this.#waiting.push({ operation, settle });
      this.#running ??= this.#commitAll();
    });
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  async #commitAll(): Promise<void> {
    while (this.#waiting.length > 0) await this.#commitNext();
    this.#running = undefined;
  }

  async #commitNext(): Promise<void> {
    // Taken when the transaction begins, not before: until then more may come. A second attempt keeps to the first's.
    let batch: Waiting[] | undefined;
    const take = (): Waiting[] => (batch ??= this.#waiting.splice(0, maxBatchSize));
    try {
      await this.#commit(take);
    } catch (error) {
      const failed = take();
      if (failed.length === 1 || isRetryable(error)) settleAll(failed, error);
      else for (const alone of failed) await this.#commitAlone(alone);
    }
  }

  /** The database refused the batch because of one of its operations; the others are to succeed all the same. */
  async #commitAlone(alone: Waiting): Promise<void> {
    try {
      await this.#commit(() => [alone]);
    } catch (error) {
      alone.settle({ ok: false, error });
    }
  }

  async #commit(take: () => readonly Waiting[]): Promise<void> {
    const engine = this.#engine;
    const clock = this.#clock;
    const committed = await engine.commit(function* () {
      const batch = yield* CommitBatch.begin(engine, clock.now());
      const before = batch.revision;
      const waiting = take();
      yield* batch.prefetch(waiting.map(({ operation }) => operation.prefetch));
      const outcomes: Outcome[] = [];
      for (const { operation } of waiting) outcomes.push(yield* outcomeOf(operation, batch));
      yield* batch.flush();
      return { waiting, outcomes, revision: batch.revision === before ? undefined : batch.revision };
    });
    committed.waiting.forEach(({ settle }, index) => {
      const outcome = committed.outcomes[index];
      if (outcome !== undefined) settle(outcome);
    });
    if (committed.revision !== undefined) this.#onCommit(committed.revision);
  }
}

function* outcomeOf(operation: Operation<unknown>, batch: CommitBatch): Transaction<Outcome> {
  try {
    return { ok: true, value: yield* operation.run(batch) };
  } catch (error) {
    return { ok: false, error };
  }
}

function isRetryable(error: unknown): boolean {
  return error instanceof BowlineError && error.retryable;
}

function settleAll(waiting: readonly Waiting[], error: unknown): void {
  for (const { settle } of waiting) settle({ ok: false, error });
}
