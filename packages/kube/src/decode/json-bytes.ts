/** The bytes that give JSON its structure. */
export const space = 0x20;
export const quote = 0x22;
export const comma = 0x2c;
export const colon = 0x3a;
export const openBracket = 0x5b;
export const backslash = 0x5c;
export const closeBracket = 0x5d;
export const openBrace = 0x7b;
export const closeBrace = 0x7d;

const initialBytes = 16 * 1024;
const keptBytes = 256 * 1024;

/** Bytes that arrive in pieces, in one buffer that is used again and again, so that pieces leave no garbage behind. */
export class ByteAccumulator {
  #buffer: Buffer = Buffer.allocUnsafeSlow(initialBytes);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  append(source: Buffer, from: number, to: number): void {
    this.#reserve(to - from);
    source.copy(this.#buffer, this.#length, from, to);
    this.#length += to - from;
  }

  appendByte(byte: number): void {
    this.#reserve(1);
    this.#buffer[this.#length++] = byte;
  }

  /** All bytes that have come so far; the next append or clear makes them invalid. */
  bytes(from = 0): Buffer {
    return this.#buffer.subarray(from, this.#length);
  }

  clear(): void {
    this.#length = 0;
    // One giant must not be held for as long as a watch lives.
    if (this.#buffer.length > keptBytes) this.#buffer = Buffer.allocUnsafeSlow(initialBytes);
  }

  #reserve(extraBytes: number): void {
    const needed = this.#length + extraBytes;
    if (needed <= this.#buffer.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(needed, this.#buffer.length * 2));
    this.#buffer.copy(grown, 0, 0, this.#length);
    this.#buffer = grown;
  }
}
