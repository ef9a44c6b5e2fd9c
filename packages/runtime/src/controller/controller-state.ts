import type { BowlineError } from "@bowline/core";

import type { QueueState } from "../queue/queue-observer.ts";
import type { BuriedLetter } from "./dead-letters.ts";

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
  readonly deadLetters: { readonly total: number; readonly recent: readonly BuriedLetter[] };
  /** Where keys come from a broker. */
  readonly deliveries?: {
    readonly held: number;
    /** Why nothing comes in. */
    readonly error: BowlineError | undefined;
  };
}
