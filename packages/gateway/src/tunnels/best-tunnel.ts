import type { TunnelConnection } from "@bowline/protocol";

import type { AgentSession, SessionTunnel } from "../session/agent-session.ts";

/**
 * The tunnel to open the next stream in: of those that take new ones, the one with the fewest, and of equals the one
 * with the shortest way. Undefined when there is none.
 */
export function bestTunnel(sessions: Iterable<AgentSession>): SessionTunnel | undefined {
  let best: SessionTunnel | undefined;
  for (const { isDraining, tunnels } of sessions) {
    if (isDraining) continue;
    for (const tunnel of tunnels) {
      if (tunnel.connection.state !== "open") continue;
      if (best === undefined || isBetter(tunnel.connection, best.connection)) best = tunnel;
    }
  }
  return best;
}

type Load = Pick<TunnelConnection, "streams" | "roundTripMs">;

function isBetter(one: Load, other: Load): boolean {
  if (one.streams !== other.streams) return one.streams < other.streams;
  return (one.roundTripMs ?? Infinity) < (other.roundTripMs ?? Infinity);
}
