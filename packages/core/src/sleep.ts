/** Starts a timer and returns what cancels it. */
export type StartTimer = (ms: number, callback: () => void) => () => void;

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
