import type { BowlineError, Clock } from "@bowline/core";

import type { RequestHead } from "./frame.ts";
import type { TunnelLimits } from "./tunnel-limits.ts";
import type { TunnelMemory } from "./tunnel-memory.ts";
import type { StreamHandler, TunnelStream } from "./tunnel-stream.ts";

/**
 * Takes a stream that the other side opened. It may answer at once; what the other side sends goes to the handler it
 * returns. Without a body, the handler's `end` is called right after.
 */
export type AcceptStream = (stream: TunnelStream, head: RequestHead, hasBody: boolean) => StreamHandler;

export interface TunnelConnectionOptions {
  readonly clock: Clock;
  /** Given on the side that is asked, the agent's. The side without it is the one that opens streams. */
  readonly accept?: AcceptStream;
  readonly limits?: Partial<TunnelLimits>;
  /** Shared with other tunnels; one of its own by default, as large as the limits say. */
  readonly memory?: TunnelMemory;
  /** How often to ping. */
  readonly keepAliveMs?: number;
  /** So long without a byte from the other side, and the tunnel counts as lost. */
  readonly silenceLimitMs?: number;
  /** The other side wants no new streams. */
  readonly onDraining?: (reason: string) => void;
  /** Called once, after every open stream was told. Without an error when this side closed the tunnel on purpose. */
  readonly onClosed?: (error: BowlineError | undefined) => void;
  /** When to send what has gathered; by default once per turn of the event loop. For tests. */
  readonly defer?: (run: () => void) => void;
}

export interface OpenOptions {
  /** Whether `write` and `end` follow. Without it the request is complete as it is. */
  readonly hasBody?: boolean;
}
