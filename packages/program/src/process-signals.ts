/** The exit code a shell reports for a process that a signal ended: 128 and the signal's number. */
export const signalExitCodes = { SIGINT: 130, SIGTERM: 143 } as const;

export type StopSignal = keyof typeof signalExitCodes;

/** The part of `process` this needs. */
export interface SignalHost {
  on(signal: StopSignal, listener: (signal: StopSignal) => void): unknown;
  off(signal: StopSignal, listener: (signal: StopSignal) => void): unknown;
  exit(code: number): void;
}

/**
 * Tells of the first SIGINT or SIGTERM; a second one of either ends the process at once, for a person who will not wait.
 * Only the entry of a process calls this, never a library. Returns what detaches it.
 */
export function attachProcessSignals(stop: (signal: StopSignal) => void, host: SignalHost): () => void {
  let isSecond = false;
  const onSignal = (signal: StopSignal): void => {
    if (isSecond) {
      host.exit(signalExitCodes[signal]);
      return;
    }
    isSecond = true;
    stop(signal);
  };
  host.on("SIGINT", onSignal);
  host.on("SIGTERM", onSignal);
  return () => {
    host.off("SIGINT", onSignal);
    host.off("SIGTERM", onSignal);
  };
}
