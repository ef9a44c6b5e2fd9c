/** The tunnel's `Frame` as it looks on the wire: see `tunnel.proto`. */

/** gRPC puts one byte of flags and four of length before each message. */
export const messagePrefixBytes = 5;

/** The prefix, then stream (tag and fixed32), the body's tag and at most five bytes of the body's length. */
export const maxFrameHeaderBytes = messagePrefixBytes + 5 + 1 + 5;

/** Field 1, fixed32. */
export const streamTag = 0x0d;

/** Field number and wire type of each body: 2 is a length with that many bytes after it, 0 a varint. */
export const bodyTag = {
  open: (2 << 3) | 2,
  headers: (3 << 3) | 2,
  data: (4 << 3) | 2,
  window: 5 << 3,
  end: (6 << 3) | 2,
  reset: (7 << 3) | 2,
  ping: 8 << 3,
  pong: 9 << 3,
  drain: (10 << 3) | 2,
} as const;

/** The most bytes one DATA frame may carry. */
export const maxDataBytes = 65_536;

/** The most bytes any other frame may have. The heads of HTTP messages are by far the largest. */
export const maxControlBytes = 131_072;

/** What a stream may send before the first WINDOW. */
export const initialWindowBytes = 262_144;

/** Names and values in turn, as in `rawHeaders` of node:http: order, case and repetitions stay as they were. */
export type HeaderList = readonly string[];

export interface RequestHead {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: HeaderList;
  /** The protocol to upgrade to. When the answer is 101, bodies are that protocol's bytes, both ways. */
  readonly upgrade?: string | undefined;
}

export interface AnswerHead {
  readonly status: number;
  readonly headers: HeaderList;
}
