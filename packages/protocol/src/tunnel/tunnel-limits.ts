/** What a side of a tunnel is willing to hold. The other side need not know: it sees windows and resets. */
export interface TunnelLimits {
  /** Streams open at the same time. */
  readonly maxStreams: number;
  /** How far the window of one stream may grow. At 50 ms of round trip, 16 MiB are some 300 MB/s. */
  readonly maxWindowBytes: number;
  /** What all windows together may grow beyond their first size, and what may wait unread in all streams. */
  readonly maxBufferedBytes: number;
  /** `write` of a stream says "wait" above this; the most a stream keeps to send, but for the last chunk. */
  readonly sendBufferBytes: number;
  /** What is handed to the channel before it has taken what came before. More is faster, less keeps control frames quick. */
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
