import type { Random } from "@bowline/core";
import type { Transport } from "../transport.ts";

export interface WatchLimits {
  /** When the server is asked to end the watch by itself. */
  readonly timeoutSeconds: number;
  /** When the client gives up a watch that should have ended. */
  readonly hardStopMs: number;
}

/** How long after its end a watch may still be on its way before it counts as dead. */
const graceMs = 10_000;

/**
 * A watch ends now and then on purpose, at random moments so that many watches do not return together. On a transport
 * that cannot tell a dead peer from a quiet one, that end is the only sign of life that is due at a known time, so it
 * is asked for every 30 to 45 s: with the grace a frozen socket is noticed within 55 s. The server sends a bookmark
 * just before it ends a watch, so such short ones also keep the resourceVersion fresh.
 */
export function watchLimits(transport: Pick<Transport, "detectsDeadPeer">, random: Random): WatchLimits {
  return transport.detectsDeadPeer ? limits(between(300, 600, random)) : limits(between(30, 45, random));
}

/** For a caller that chose its own timeout. */
export function limits(timeoutSeconds: number): WatchLimits {
  return { timeoutSeconds, hardStopMs: timeoutSeconds * 1000 + graceMs };
}

function between(min: number, max: number, random: Random): number {
  return min + Math.floor(random() * (max - min + 1));
}
