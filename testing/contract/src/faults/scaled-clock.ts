import { systemClock, type Clock } from "@bowline/core";

/** A clock that runs faster than time: what waits a second on it waits `1 / factor` of one. */
export function scaledClock(factor: number): Clock {
  const startMs = systemClock.now();
  const originMs = systemClock.monotonicMs();
  const elapsedMs = (): number => (systemClock.monotonicMs() - originMs) * factor;
  return {
    now: () => startMs + elapsedMs(),
    monotonicMs: elapsedMs,
    sleep: (ms, signal) => systemClock.sleep(ms / factor, signal),
    after: (ms, callback) => systemClock.after(ms / factor, callback),
  };
}
