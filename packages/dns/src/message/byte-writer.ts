import { BowlineError } from "@bowline/core";

import { longestMessage } from "./codes.ts";

/** Writes a message. Names are written in full: signatures and updates have them so, and messages are small. */
export class ByteWriter {
  readonly #parts: Buffer[] = [];

  uint16(...values: readonly number[]): this {
    return this.bytes(Buffer.from(values.flatMap((value) => [value >> 8, value & 0xff])));
  }

  uint32(value: number): this {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value);
    return this.bytes(bytes);
  }

  uint48(value: number): this {
    const bytes = Buffer.alloc(6);
    bytes.writeUIntBE(value, 0, 6);
    return this.bytes(bytes);
  }

  bytes(bytes: Buffer): this {
    this.#parts.push(bytes);
    return this;
  }

  /** Of a name that was checked: small letters, digits, hyphens, and a `*` before the rest. */
  name(name: string): this {
    const labels = name === "" ? [] : name.split(".");
    for (const label of labels) this.#string(label, 63);
    return this.bytes(Buffer.alloc(1));
  }

  /** A text of at most 255 bytes with its length before it. */
  text(bytes: Buffer): this {
    return this.bytes(Buffer.from([bytes.length])).bytes(bytes);
  }

  finish(): Buffer {
    const bytes = Buffer.concat(this.#parts);
    if (bytes.length <= longestMessage) return bytes;
    throw new BowlineError(
      "InvalidArgument",
      `A message of DNS can have ${longestMessage} bytes, and this one has ${bytes.length}: too many records.`,
    );
  }

  #string(text: string, longest: number): void {
    const bytes = Buffer.from(text, "latin1");
    if (bytes.length === 0 || bytes.length > longest) {
      throw new BowlineError("InvalidArgument", `"${text}" cannot be a part of a name of DNS.`);
    }
    this.text(bytes);
  }
}
