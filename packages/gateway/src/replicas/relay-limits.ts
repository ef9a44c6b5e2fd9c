import type { TunnelConnectionOptions } from "@bowline/protocol";

/** Both ends of a relay: it carries what all tunnels of a replica carry, over a network that is near. */
export const relayOptions = {
  limits: { maxStreams: 16_384 },
  keepAliveMs: 5_000,
  silenceLimitMs: 15_000,
} as const satisfies Partial<TunnelConnectionOptions>;
