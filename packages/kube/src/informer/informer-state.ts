import type { BowlineError } from "@bowline/core";

/**
 * - `idle`: not started.
 * - `syncing`: reading everything that exists.
 * - `connecting`: asking for changes since the last version seen.
 * - `watching`: the server has accepted the watch; changes arrive as they happen.
 * - `waiting`: something failed, `error` says what; it tries again after a while, for ever.
 * - `stopped`: ended by its owner.
 */
export type InformerPhase = "idle" | "syncing" | "connecting" | "watching" | "waiting" | "stopped";

/** A snapshot, for health checks and people. */
export interface InformerState {
  readonly phase: InformerPhase;
  /** When the phase began, wall clock in milliseconds. */
  readonly since: number;
  /** Everything that existed has been read at least once. The cache may be old: see phase and error. */
  readonly synced: boolean;
  /** The newest version seen; a watch resumes from here. */
  readonly resourceVersion: string | undefined;
  readonly objects: number;
  /** Watches after the first: most are the normal end of one. */
  readonly reconnects: number;
  /** Times everything was read again. */
  readonly relists: number;
  /** Failures since the start. */
  readonly failures: number;
  /** Why it is not watching; gone as soon as it is. */
  readonly error: BowlineError | undefined;
}
