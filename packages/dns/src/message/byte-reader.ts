import { BowlineError } from "@bowline/core";

const longestName = 255;
const pointerMark = 0xc0;
/** No name needs more; a message full of them would take long to read. */
const mostPointers = 127;
/** What a label may be written as; other bytes are `\ddd`, so that no name looks like another one. */
const plainLetter = /^[a-z0-9_*-]$/u;

/** Reads a message of whoever sent it: nothing that lies about lengths or leads in circles is followed. */
export class ByteReader {
  readonly #bytes: Buffer;
  readonly #start: number;
  readonly #end: number;
  #offset: number;

  constructor(bytes: Buffer, start = 0, end: number = bytes.length) {
    this.#bytes = bytes;
    this.#start = start;
    this.#offset = start;
    this.#end = end;
  }

  get offset(): number {
    return this.#offset;
  }

  get isAtEnd(): boolean {
    return this.#offset === this.#end;
  }

  /** All that it reads, whatever has been read of it. */
  get all(): Buffer {
    return this.#bytes.subarray(this.#start, this.#end);
  }

  byte(): number {
    return this.#bytes.readUInt8(this.#advance(1));
  }

  uint16(): number {
    return this.#bytes.readUInt16BE(this.#advance(2));
  }

  uint32(): number {
    return this.#bytes.readUInt32BE(this.#advance(4));
  }

  uint48(): number {
    return this.#bytes.readUIntBE(this.#advance(6), 6);
  }

  take(length: number): Buffer {
    return this.#bytes.subarray(this.#advance(length), this.#offset);
  }

  /** The next `length` bytes, and no more than them. Names in them may still point to what was before. */
  part(length: number): ByteReader {
    const start = this.#advance(length);
    return new ByteReader(this.#bytes, start, this.#offset);
  }

  /** In small letters, without the dot at the end; the root is "". */
  name(): string {
    const labels: string[] = [];
    let length = 1;
    let at = this.#offset;
    let end = this.#end;
    let pointers = 0;
    for (;;) {
      if (at >= end) throw malformed("a name is longer than its place");
      const mark = this.#bytes.readUInt8(at);
      if (mark >= pointerMark) {
        if (at + 2 > end) throw malformed("a name is longer than its place");
        const target = this.#bytes.readUInt16BE(at) & 0x3fff;
        // Only back: whatever leads forward could lead in circles.
        if (target >= at) throw malformed("a name points to itself");
        if (pointers === 0) this.#offset = at + 2;
        pointers += 1;
        if (pointers > mostPointers) throw malformed("a name leads from pointer to pointer");
        [at, end] = [target, at];
        continue;
      }
      if (mark > 63) throw malformed("a label is of an unknown kind");
      at += 1 + mark;
      if (mark === 0) break;
      length += 1 + mark;
      if (at > end || length > longestName) throw malformed("a name is too long");
      labels.push(labelText(this.#bytes.subarray(at - mark, at)));
    }
    if (pointers === 0) this.#offset = at;
    return labels.join(".");
  }

  /** Returns where the bytes begin. */
  #advance(length: number): number {
    const start = this.#offset;
    if (length > this.#end - start) throw malformed("a length in it is longer than its place");
    this.#offset = start + length;
    return start;
  }
}

function labelText(bytes: Buffer): string {
  const letters = Array.from(bytes, (byte) => {
    const letter = String.fromCodePoint(byte).toLowerCase();
    return plainLetter.test(letter) ? letter : `\\${String(byte).padStart(3, "0")}`;
  });
  return letters.join("");
}

/** A message that is not one of DNS; `why` stands behind a colon. */
export function malformed(why: string): BowlineError {
  return new BowlineError("ResponseInvalid", `It is not a message of DNS: ${why}.`);
}
