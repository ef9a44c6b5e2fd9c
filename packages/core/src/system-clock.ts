import { performance } from "node:perf_hooks";

import type { Clock } from "./clock.ts";
import { sleepOn } from "./sleep.ts";

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
