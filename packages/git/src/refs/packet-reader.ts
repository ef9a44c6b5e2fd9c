import { GitError } from "../model/git-error.ts";

/** One packet of git's protocol: bytes, or one of the marks between them. */
export type Packet = Buffer | "flush" | "delimiter" | "end";

const marks: readonly Packet[] = ["flush", "delimiter", "end"];
const headLength = 4;
const largestPacket = 65_520;

/** Cuts a stream into packets, each with its length in four hexadecimal digits before it. Never holds more than one. */
export class PacketReader {
  #rest = Buffer.alloc(0);

  /** False while a packet has begun and not ended. */
  get isBetweenPackets(): boolean {
    return this.#rest.length === 0;
  }

  *push(chunk: Buffer): Generator<Packet> {
    let bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    while (bytes.length >= headLength) {
      const length = lengthOf(bytes);
      const mark = marks[length];
      if (mark === undefined && bytes.length < length) break;
      yield mark ?? bytes.subarray(headLength, length);
      bytes = bytes.subarray(mark === undefined ? length : headLength);
    }
    // A copy, so that the rest of a packet does not keep all of the chunk.
    this.#rest = Buffer.from(bytes);
  }
}

function lengthOf(bytes: Buffer): number {
  const digits = bytes.toString("latin1", 0, headLength);
  const length = /^[0-9a-f]{4}$/iu.test(digits) ? Number.parseInt(digits, 16) : -1;
  // 3 is no mark, and would be a packet shorter than its own length.
  if (length >= 0 && length !== 3 && length <= largestPacket) return length;
  throw new GitError(
    "ResponseInvalid",
    "The answer of the server is not one of git: a packet has no length.",
  );
}

/** A packet with its length before it. */
export function packet(text: string): string {
  const length = Buffer.byteLength(text) + headLength;
  if (length > largestPacket) throw new GitError("InvalidArgument", "A line for a git server is too long.");
  return length.toString(16).padStart(headLength, "0") + text;
}
