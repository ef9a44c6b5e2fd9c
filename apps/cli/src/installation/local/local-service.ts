import type { PhaseContext, RemoveOptions } from "../target.ts";

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
  /** Called before each look whether it is ready: brings its CA to where it is looked for. */
  readonly prepare?: (context: PhaseContext) => Promise<void>;
  /** The end of its log, for whoever wants to know why it does not answer. */
  readonly lastWords: () => Promise<string>;
  /** Data that it keeps elsewhere than in the data folder, in words. */
  readonly keeps?: string;
  /** Stops it and takes away what was written for it. */
  readonly remove: (context: PhaseContext, options: RemoveOptions) => Promise<void>;
}
