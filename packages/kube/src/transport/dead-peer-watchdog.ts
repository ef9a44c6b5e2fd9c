import type { Clock } from "@bowline/core";

/** The part of a socket the watchdog looks at. */
interface WatchedSocket {
  readonly bytesRead: number;
  destroy(error: Error): unknown;
  once(event: "close", listener: () => void): unknown;
}

export interface DeadPeerLimits {
  /** How often the client pings, so how long a healthy peer may be silent. */
  readonly pingIntervalMs: number;
  /** Silence that no healthy peer explains: three missed pings by default. */
  readonly silenceLimitMs: number;
}

/** A byte is noticed up to one check late, and the silence after it is counted from there. */
const checksPerPing = 3;

/**
 * Ends a connection whose other side has gone silent although it is being pinged. A host that lost power, a NAT that
 * dropped the mapping or a frozen process closes nothing: without this a watch would wait for it forever.
 *
 * Silence is counted in checks and not read from the clock: a process that was itself held up has not listened, and
 * what came meanwhile is only read after the check that was due.
 */
export function watchForDeadPeer(
  socket: WatchedSocket,
  limits: DeadPeerLimits,
  clock: Pick<Clock, "after">,
): void {
  const checkIntervalMs = limits.pingIntervalMs / checksPerPing;
  let bytesRead = socket.bytesRead;
  let silenceMs = 0;
  let cancel = clock.after(checkIntervalMs, check);
  socket.once("close", () => cancel());

  function check(): void {
    silenceMs = socket.bytesRead === bytesRead ? silenceMs + checkIntervalMs : 0;
    bytesRead = socket.bytesRead;
    if (silenceMs >= limits.silenceLimitMs) {
      socket.destroy(
        Object.assign(new Error(`no byte in ${Math.round(silenceMs)} ms`), { code: "ETIMEDOUT" }),
      );
    } else {
      cancel = clock.after(checkIntervalMs, check);
    }
  }
}
