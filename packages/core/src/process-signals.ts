import type { Shutdown } from "./shutdown.ts";

/** The exit code a shell reports for a process that a signal ended: 128 and the signal's number. */
const exitCodes = { SIGINT: 130, SIGTERM: 143 } as const;

type ShutdownSignal = keyof typeof exitCodes;

/** The part of `process` this needs. */
export interface SignalHost {
  on(signal: ShutdownSignal, listener: (signal: ShutdownSignal) => void): unknown;
  off(signal: ShutdownSignal, listener: (signal: ShutdownSignal) => void): unknown;
  exit(code: number): void;
}

/**
 * Lets SIGINT and SIGTERM start the shutdown; a second one of either ends the process at once, for a person who will
 * not wait. Only a program calls this, never a library. Returns what detaches it.
 */
export function attachProcessSignals(shutdown: Shutdown, host: SignalHost = process): () => void {
  let isSecond = false;
  const onSignal = (signal: ShutdownSignal): void => {
    if (isSecond) {
      host.exit(exitCodes[signal]);
      return;
    }
    isSecond = true;
    // The program waits for `finished` and learns there what failed.
    shutdown.run(`received ${signal}`).catch(() => {});
  };
  host.on("SIGINT", onSignal);
  host.on("SIGTERM", onSignal);
  return () => {
    host.off("SIGINT", onSignal);
    host.off("SIGTERM", onSignal);
  };
}
