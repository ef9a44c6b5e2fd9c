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
 */
export function watchForDeadPeer(socket: WatchedSocket, limits: DeadPeerLimits, clock: Clock): void {
  const checkIntervalMs = limits.pingIntervalMs / checksPerPing;
  let bytesRead = socket.bytesRead;
  let lastProgressMs = clock.monotonicMs();
  let cancel = clock.after(checkIntervalMs, check);
  socket.once("close", () => cancel());

  function check(): void {
    const nowMs = clock.monotonicMs();
    if (socket.bytesRead !== bytesRead) {
      bytesRead = socket.bytesRead;
      lastProgressMs = nowMs;
    }
    const silenceMs = nowMs - lastProgressMs;
    if (silenceMs >= limits.silenceLimitMs) {
      socket.destroy(
        Object.assign(new Error(`no byte in ${Math.round(silenceMs)} ms`), { code: "ETIMEDOUT" }),
      );
    } else {
      cancel = clock.after(checkIntervalMs, check);
    }
  }
}
