import type { BowlineError, Clock } from "@bowline/core";

import type { RequestHead } from "./http-head.ts";
import type { TunnelMemory } from "./tunnel-memory.ts";
import type { StreamHandler, TunnelStream } from "./tunnel-stream.ts";

/** Limits of what a side of a tunnel is willing to hold. The other side need not know: it sees windows and resets. */
export interface TunnelLimits {
  /** Streams open at the same time. */
  readonly maxStreams: number;
  /** How far the window of one stream may grow. At 50 ms of round trip, 16 MiB are some 300 MB/s. */
  readonly maxWindowBytes: number;
  /** The growth of all windows together beyond their first size, and the bytes that may wait unread in all streams. */
  readonly maxBufferedBytes: number;
  /** `write` of a stream says "wait" above this; the most a stream keeps to send, but for the last chunk. */
  readonly sendBufferBytes: number;
  /** Bytes handed to the channel before it has taken those before. More is faster, less keeps control frames quick. */
  readonly inFlightBytes: number;
  /** The largest piece one stream sends before it is the next one's turn. */
  readonly quantumBytes: number;
  /** Frames other than DATA that wait because the channel takes nothing. Above it, the peer counts as gone. */
  readonly maxControlBacklogBytes: number;
}

export const defaultTunnelLimits: TunnelLimits = {
  maxStreams: 1024,
  maxWindowBytes: 16 * 1024 * 1024,
  maxBufferedBytes: 64 * 1024 * 1024,
  sendBufferBytes: 128 * 1024,
  inFlightBytes: 256 * 1024,
  quantumBytes: 32 * 1024,
  maxControlBacklogBytes: 4 * 1024 * 1024,
};

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
