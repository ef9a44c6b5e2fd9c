import type { PhaseContext } from "../target.ts";

/** What keeps a server running on this machine. */
export interface LocalService {
  /** In words, for the plan. */
  readonly plan: readonly string[];
  /** Rejects with what is missing on this machine. */
  readonly check: (context: PhaseContext) => Promise<void>;
  /** Whether what it runs is this installation's server, and runs. */
  readonly isRunning: (context: PhaseContext) => Promise<boolean>;
  /** Starts it, or finds it started; returns what it is, in words. */
  readonly start: (context: PhaseContext) => Promise<string>;
  /** The end of its log, for whoever wants to know why it does not answer. */
  readonly lastWords: () => Promise<string>;
  /** Stops it and takes away what was written for it. */
  readonly remove: (context: PhaseContext) => Promise<void>;
}
