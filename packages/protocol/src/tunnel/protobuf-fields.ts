import { violation } from "../message-order.ts";

/** Protobuf's variable-length integers, up to 32 bits: lengths, tags and windows need no more. */

export function varintBytes(value: number): number {
  if (value < 0x80) return 1;
  if (value < 0x4000) return 2;
  if (value < 0x20_0000) return 3;
  return value < 0x1000_0000 ? 4 : 5;
}

/** Returns the offset after what it wrote. */
export function writeVarint(target: Buffer, value: number, offset: number): number {
  let rest = value;
  let at = offset;
  while (rest >= 0x80) {
    target[at++] = (rest & 0x7f) | 0x80;
    rest >>>= 7;
  }
  target[at++] = rest;
  return at;
}

const wireType = { varint: 0, fixed64: 1, length: 2, fixed32: 5 } as const;

/**
 * Reads the fields of one protobuf message, each in place. The generated code does the same by reflection, which costs
 * too much on every request; a test holds the two together.
 */
export class FieldReader {
  readonly #buffer: Buffer;
  #offset: number;
  readonly #end: number;
  /** Number and wire type of the field that `next` found. */
  #tag = 0;

  constructor(buffer: Buffer, start = 0, end: number = buffer.length) {
    this.#buffer = buffer;
    this.#offset = start;
    this.#end = end;
  }

  /** The number of the next field; 0 at the end of the message. */
  next(): number {
    if (this.#offset === this.#end) return 0;
    this.#tag = this.#readVarint();
    const field = this.#tag >>> 3;
    if (field === 0) throw violation("A frame has a field without a number.");
    return field;
  }

  /** The value of a varint field, cut to 32 bits as protobuf asks. */
  number(): number {
    this.#expect(wireType.varint);
    return this.#readVarint();
  }

  text(): string {
    this.#expect(wireType.length);
    const start = this.#advance(this.#readVarint());
    return this.#buffer.toString("utf8", start, this.#offset);
  }

  /** Passes over a field of a later version. */
  skip(): void {
    const type = this.#tag & 7;
    if (type === wireType.varint) this.#readVarint();
    else if (type === wireType.fixed64) this.#advance(8);
    else if (type === wireType.length) this.#advance(this.#readVarint());
    else if (type === wireType.fixed32) this.#advance(4);
    else throw violation(`A frame has a field of the unknown wire type ${type}.`);
  }

  #expect(type: number): void {
    if ((this.#tag & 7) !== type) throw violation(`Field ${this.#tag >>> 3} of a frame has the wrong type.`);
  }

  /** Returns where the bytes begin. */
  #advance(bytes: number): number {
    const start = this.#offset;
    if (bytes > this.#end - start) throw violation("A field of a frame is longer than the frame.");
    this.#offset = start + bytes;
    return start;
  }

  #readVarint(): number {
    let value = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = this.#offset < this.#end ? this.#buffer[this.#offset++] : undefined;
      if (byte === undefined) throw violation("A frame ends in the middle of a number.");
      // Bits above the 32nd are read and dropped.
      if (shift < 32) value = (value | ((byte & 0x7f) << shift)) >>> 0;
      if (byte < 0x80) return value;
    }
    throw violation("A number in a frame is too long.");
  }
}
