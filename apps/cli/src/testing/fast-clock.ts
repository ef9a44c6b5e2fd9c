import { systemClock, type Clock } from "@bowline/core";

/** Time that passes so many times faster than that of the machine, for whoever waits for a cloud that is not there. */
export function fastClock(speed: number): Clock {
  const startMs = systemClock.now();
  const startedMs = systemClock.monotonicMs();
  const elapsedMs = (): number => (systemClock.monotonicMs() - startedMs) * speed;
  return {
    // Certificates are looked at by the time of the machine, from which this one begins.
    now: () => startMs + Math.round(elapsedMs()),
    monotonicMs: elapsedMs,
    sleep: (ms, signal) => systemClock.sleep(ms / speed, signal),
    after: (ms, callback) => systemClock.after(ms / speed, callback),
  };
}
