/** A message that breaks the rules of the wire format, or those of the types on it. */
export class WireError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "WireError";
  }
}

const varintType = 0;
const fixed64Type = 1;
const bytesType = 2;
const fixed32Type = 5;

const longestVarint = 10;

/** Reads the fields of one message, in the order they were written. Nothing is copied. */
export class WireReader {
  readonly #bytes: Buffer;
  #offset = 0;
  #field = 0;
  #wireType = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** The numbers of the fields. Whoever takes one reads or skips its value before the next. */
  *fields(): Generator<number> {
    while (this.#offset < this.#bytes.length) {
      const tag = this.#rawVarint();
      this.#field = Math.floor(tag / 8);
      this.#wireType = tag & 7;
      if (this.#field < 1 || this.#field >= 2 ** 29) throw new WireError(`no field has the tag ${tag}`);
      yield this.#field;
    }
  }

  get isBytes(): boolean {
    return this.#wireType === bytesType;
  }

  /** A signed number of 64 bits. Beyond 2^53 it is rounded, as in JSON. */
  varint(): number {
    this.#expect(varintType);
    return this.#rawVarint();
  }

  double(): number {
    this.#expect(fixed64Type);
    return this.#take(8).readDoubleLE();
  }

  bytes(): Buffer {
    this.#expect(bytesType);
    return this.#take(this.#rawVarint());
  }

  text(): string {
    return this.bytes().toString("utf8");
  }

  /** Numbers one after the other, without tags. */
  packedVarints(): number[] {
    const packed = new WireReader(this.bytes());
    const values: number[] = [];
    while (packed.#offset < packed.#bytes.length) values.push(packed.#rawVarint());
    return values;
  }

  skip(): void {
    switch (this.#wireType) {
      case varintType:
        this.#rawVarint();
        return;
      case fixed64Type:
        this.#take(8);
        return;
      case bytesType:
        this.#take(this.#rawVarint());
        return;
      case fixed32Type:
        this.#take(4);
        return;
      default:
        throw new WireError(`field ${this.#field} has the unknown wire type ${this.#wireType}`);
    }
  }

  #expect(wireType: number): void {
    if (this.#wireType !== wireType) {
      throw new WireError(`field ${this.#field} has the wire type ${this.#wireType}, not ${wireType}`);
    }
  }

  #take(length: number): Buffer {
    const end = this.#offset + length;
    if (length < 0 || end > this.#bytes.length) throw new WireError("unexpected end of the message");
    const taken = this.#bytes.subarray(this.#offset, end);
    this.#offset = end;
    return taken;
  }

  #rawVarint(): number {
    const start = this.#offset;
    for (let length = 1; length <= longestVarint; length += 1) {
      const byte = this.#bytes[start + length - 1];
      if (byte === undefined) throw new WireError("unexpected end of the message");
      if (byte > 127) continue;
      this.#offset = start + length;
      return length <= 4 ? this.#small(start) : this.#large(start);
    }
    throw new WireError("a number is longer than 64 bits");
  }

  /** Up to 28 bits, which is nearly every number there is: tags, lengths, flags, ports. */
  #small(start: number): number {
    let value = 0;
    for (let at = this.#offset - 1; at >= start; at -= 1)
      value = (value << 7) | ((this.#bytes[at] ?? 0) & 127);
    return value;
  }

  #large(start: number): number {
    let value = 0n;
    for (let at = this.#offset - 1; at >= start; at -= 1) {
      value = (value << 7n) | BigInt((this.#bytes[at] ?? 0) & 127);
    }
    return Number(BigInt.asIntN(64, value));
  }
}
