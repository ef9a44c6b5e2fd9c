import { performance } from "node:perf_hooks";

/** The time, as an argument: tests move it by hand. */
export interface Clock {
  /** Wall clock, milliseconds since 1970. */
  now(): number;
  /** Never goes back; only differences mean anything. */
  monotonicMs(): number;
  /**
   * Resolves after `ms`; rejects with the signal's reason as soon as it aborts. Keeps the process alive, because
   * somebody waits for it. `Infinity` waits for the signal alone.
   */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls back after `ms` unless the returned function is called first. Does not keep the process alive. */
  after(ms: number, callback: () => void): () => void;
}

/** Node turns a longer delay into 1 ms; such a wait is cut into pieces instead. */
const longestTimerMs = 2 ** 31 - 1;

/** The real time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  sleep: (ms, signal) => sleepOn((delayMs, callback) => startTimer(delayMs, callback, true), ms, signal),
  after: (ms, callback) => startTimer(ms, callback, false),
};

function startTimer(ms: number, callback: () => void, keepsProcessAlive: boolean): () => void {
  let remainingMs = ms;
  let timer: NodeJS.Timeout;
  const arm = (): void => {
    const pieceMs = Math.min(remainingMs, longestTimerMs);
    remainingMs -= pieceMs;
    timer = setTimeout(remainingMs > 0 ? arm : callback, pieceMs);
    if (!keepsProcessAlive) timer.unref();
  };
  arm();
  return () => clearTimeout(timer);
}

/** Starts a timer and returns what cancels it. */
type StartTimer = (ms: number, callback: () => void) => () => void;

/**
 * The body of `Clock.sleep`, the same for every clock: whichever of timer and signal comes first also removes the
 * other, so that a long-lived signal does not collect a listener per sleep.
 */
export function sleepOn(startTimer: StartTimer, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(signal.reason);
      return;
    }
    const onAbort = (): void => {
      cancelTimer();
      if (signal !== undefined) reject(signal.reason);
    };
    const cancelTimer = startTimer(ms, () => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    });
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}
