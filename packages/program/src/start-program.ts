import { BowlineError, Metrics, Shutdown, type Clock, type Logger, type Random } from "@bowline/core";

import { emptyCores } from "./empty-cores.ts";
import { tuneHeap, type HeapTuning } from "./v8-flags.ts";

/** The surroundings that a program is started in. */
export interface ProgramOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Of the program. */
  readonly version: string;
  /** Stops the program, also while it starts. */
  readonly signal?: AbortSignal | undefined;
  /** The program is all that the process does: its heap is tuned for it, and the process is in its metrics. */
  readonly ownsProcess?: boolean;
}

/** The facts about a program that the shell has to know before anything is opened. */
export interface ProgramPlan {
  /** How long requests and the like may take to finish, once it is told to stop. */
  readonly drainTimeMs: number;
  /** For a process of its own. */
  readonly heap: HeapTuning;
  /** Settings that were probably not meant so, to be told before anything else. */
  readonly warnings: readonly string[];
}

/** The tools for opening a program, and for ending it. */
export interface ProgramShell {
  /** Closes what is added to it, the last first. */
  readonly shutdown: Shutdown;
  /** Aborts when the program is told to stop, also while it is being opened; nothing is closed before that has ended. */
  readonly stopping: AbortSignal;
  /** How long the step that drains may take. */
  readonly drainLimitMs: number;
  readonly metrics: Metrics;
  /** To be told of the bytes that pass, where the heap is tuned for that. */
  readonly bytesPassed: ((count: number) => void) | undefined;
  /** Ends the program; with an error, because a part of it cannot go on. */
  readonly end: (error?: BowlineError) => void;
}

export interface RunningProgram {
  /** Drains and stops. Resolves when nothing of it is left; rejects when it did not stop cleanly. */
  close(): Promise<void>;
  /** Settles when it has stopped, for whatever reason; rejects when it could not go on or did not stop cleanly. */
  readonly ended: Promise<void>;
}

/** Beyond the drain, for what has to be written and closed. */
const closingLimitMs = 10_000;

/**
 * Starts a program and resolves once it is open. When that fails, or is given up, everything it has opened is closed
 * again, and the reason is thrown.
 *
 * States:
 * - opening: a signal aborts `stopping`; closing waits until `open` has ended, so that nothing is opened after it
 * - running: a signal, `close` and `end` begin the shutdown
 * - stopping: what was opened last is closed first, within the drain time and ten seconds
 * - ended: `ended` has settled, and nothing of the program is left
 */
export async function startProgram<Facts extends object>(
  options: ProgramOptions,
  plan: ProgramPlan,
  open: (shell: ProgramShell) => Promise<Facts>,
): Promise<Facts & RunningProgram> {
  const { clock, logger, signal, version, ownsProcess = false } = options;
  const totalLimitMs = plan.drainTimeMs + closingLimitMs;
  const shutdown = new Shutdown({ clock, stepLimitMs: closingLimitMs, totalLimitMs });
  const stopping = new AbortController();
  const failure: Failure = { error: undefined };
  try {
    signal?.throwIfAborted();
    for (const warning of plan.warnings) logger.warn(warning);
    follow(signal, stopping, shutdown);
    const metrics = new Metrics({ version, revision: "unknown" });
    const heap = ownsProcess ? tuneHeap(plan.heap, clock) : undefined;
    if (heap !== undefined) {
      emptyCores();
      metrics.collectProcessMetrics();
      shutdown.add("the heap", heap.stop);
    }
    const facts = await open({
      shutdown,
      stopping: stopping.signal,
      drainLimitMs: plan.drainTimeMs + closingLimitMs / 2,
      metrics,
      bytesPassed: heap?.bytesPassed,
      end(error) {
        failure.error ??= error;
        stopping.abort(error ?? new BowlineError("Cancelled", "It ended by itself."));
      },
    });
    const ended = whenEnded(shutdown, failure, logger);
    const stop = (): void => void shutdown.run("it was told to stop").catch(() => {});
    stopping.signal.addEventListener("abort", stop, { once: true });
    if (stopping.signal.aborted) stop();
    return { ...facts, close: () => shutdown.run("it was closed"), ended };
  } catch (error) {
    await shutdown.run("it could not start").catch((problem: unknown) => {
      logger.error({ err: problem }, "Not everything could be closed");
    });
    throw signal?.aborted === true ? signal.reason : error;
  }
}

interface Failure {
  error: BowlineError | undefined;
}

/** Lets go of the signal at the very end: it may live as long as the process, and see many programs come and go. */
function follow(signal: AbortSignal | undefined, stopping: AbortController, shutdown: Shutdown): void {
  const onSignal = (): void => stopping.abort(signal?.reason);
  signal?.addEventListener("abort", onSignal, { once: true });
  shutdown.add("the signal", () => signal?.removeEventListener("abort", onSignal));
  shutdown.signal.addEventListener("abort", () => stopping.abort(shutdown.signal.reason), { once: true });
}

/** A part that has given up takes the program with it: whoever watches over the process starts another one. */
function whenEnded(shutdown: Shutdown, failure: Failure, logger: Logger): Promise<void> {
  shutdown.signal.addEventListener("abort", () => logger.info("Stopping"), { once: true });
  const wait = async (): Promise<void> => {
    await shutdown.finished();
    logger.info("Stopped");
    if (failure.error !== undefined) throw failure.error;
  };
  const ended = wait();
  // Whoever closes it may be content with what `close` says.
  ended.catch(() => {});
  return ended;
}
