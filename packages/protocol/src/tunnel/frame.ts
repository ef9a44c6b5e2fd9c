import { violation } from "../message-order.ts";

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

/** Bytes that a stream may send before the first WINDOW. */
export const initialWindowBytes = 262_144;

/** The fields before a frame's body. */
export interface FrameHeader {
  /** The tag of the body; 0 for a kind this version does not know. */
  kind: number;
  stream: number;
  bodyBytes: number;
}

const knownTags: ReadonlySet<number> = new Set(Object.values(bodyTag));

/** A varint has at most ten bytes. */
const maxNumberBytes = 10;

/**
 * Reads the header that begins at `start` into `header`. Returns its size, or 0 when the bytes up to `end` are not all
 * of it. Throws `ProtocolViolation` when no header can look like this.
 */
export function parseFrameHeader(buffer: Buffer, start: number, end: number, header: FrameHeader): number {
  let at = start + messagePrefixBytes;
  if (at > end) return 0;
  if (buffer[start] !== 0) throw violation("A message of the tunnel is compressed, or is not gRPC.");
  const length = buffer.readUInt32BE(start + 1);
  if (length > maxControlBytes) throw violation(`A frame of ${length} bytes is too long.`);
  const messageEnd = at + length;
  header.kind = 0;
  header.stream = 0;
  if (at < messageEnd && at === end) return 0;
  if (at < messageEnd && buffer[at] === streamTag) {
    if (length < 5) throw violation("A frame ends within the number of its stream.");
    if (at + 5 > end) return 0;
    header.stream = buffer.readUInt32LE(at + 1);
    at += 5;
  }
  // A body of numbers or of a later version is taken as it is, its tag included for the latter.
  header.bodyBytes = messageEnd - at;
  if (at === messageEnd) return at - start;
  if (at === end) return 0;
  const tag = buffer[at] ?? 0;
  if (!knownTags.has(tag)) return at - start;
  header.kind = tag;
  header.bodyBytes--;
  at++;
  if ((tag & 7) === 2) at = skipLength(buffer, at, Math.min(end, messageEnd), header);
  else if (header.bodyBytes > maxNumberBytes) throw violation("A number in a frame is too long.");
  if (at === 0 && end < messageEnd) return 0;
  if (at === 0) throw violation("A frame ends within the length of its body.");
  return at - start;
}

/** The length of the body is known from the message already; here it must say the same. 0 when it is not all there. */
function skipLength(buffer: Buffer, start: number, end: number, header: FrameHeader): number {
  let length = 0;
  for (let at = start, shift = 0; shift < 35; shift += 7) {
    if (at === end) return 0;
    const byte = buffer[at++] ?? 0;
    length = (length | ((byte & 0x7f) << shift)) >>> 0;
    if (byte >= 0x80) continue;
    header.bodyBytes -= at - start;
    if (length !== header.bodyBytes) throw violation("The length of a frame contradicts itself.");
    if (header.kind === bodyTag.data && length > maxDataBytes) {
      throw violation(`A DATA frame of ${length} bytes is too long.`);
    }
    return at;
  }
  throw violation("The length of a frame is not a number.");
}
