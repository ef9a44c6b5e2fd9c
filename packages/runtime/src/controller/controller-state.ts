import type { BowlineError } from "@bowline/core";

import type { QueueState } from "../queue/queue-observer.ts";
import { failureReport } from "../reconcile/reconcile-error.ts";

/** A key that is given up until it is added again. */
export interface DeadLetter {
  readonly key: string;
  readonly error: BowlineError;
  /** For a condition and an event. */
  readonly reason: string;
  readonly message: string;
  /** A person has to act: it was not tried until the attempts were used up. */
  readonly terminal: boolean;
  readonly attempts: number;
}

/** One that was given up, as it is remembered. */
interface RecordedDeadLetter extends Omit<DeadLetter, "error"> {
  /** Wall clock. */
  readonly atMs: number;
}

const remembered = 100;

export function newDeadLetter(
  key: string,
  attempts: number,
  { error, terminal }: Pick<DeadLetter, "error" | "terminal">,
): DeadLetter {
  const { reason, message } = failureReport(error);
  return { key, error, reason, message, terminal, attempts };
}

/** Counts them all and remembers the last ones. */
export class DeadLetters {
  #total = 0;
  #recent: RecordedDeadLetter[] = [];

  get total(): number {
    return this.#total;
  }

  /** The newest last. */
  get recent(): readonly RecordedDeadLetter[] {
    return this.#recent;
  }

  record({ key, reason, message, terminal, attempts }: DeadLetter, atMs: number): void {
    this.#total += 1;
    // Without the error, whose cause may hold on to anything.
    const recorded = { key, reason, message, terminal, attempts, atMs };
    this.#recent = [...this.#recent.slice(1 - remembered), recorded];
  }
}

/** A key that is being worked on. */
export interface ActiveKey {
  readonly key: string;
  /** Wall clock. */
  readonly sinceMs: number;
  readonly attempt: number;
  /** It did not end when told to; others have its place, but the key stays taken until it does. */
  readonly isStuck: boolean;
}

/** How a controller stands. */
export interface ControllerState {
  readonly name: string;
  readonly isRunning: boolean;
  readonly concurrency: number;
  readonly queue: QueueState;
  readonly active: readonly ActiveKey[];
  /** Retries after failures, since it was made. */
  readonly retries: number;
  /** Keys that failed last time they were tried. */
  readonly failing: number;
  readonly deadLetters: { readonly total: number; readonly recent: readonly RecordedDeadLetter[] };
  /** Where keys come from a broker. */
  readonly deliveries?: {
    readonly held: number;
    /** Why nothing comes in. */
    readonly error: BowlineError | undefined;
  };
}
