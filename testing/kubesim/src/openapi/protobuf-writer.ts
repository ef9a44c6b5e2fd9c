/** Writes the wire format of protocol buffers: as much of it as the OpenAPI document needs. */
export class ProtobufWriter {
  private readonly parts: Uint8Array[] = [];
  private length = 0;

  /** An empty text is left out, as the default of its field. */
  text(field: number, value: string | undefined): this {
    return value === undefined || value === "" ? this : this.bytes(field, Buffer.from(value, "utf8"));
  }

  texts(field: number, values: readonly string[]): this {
    for (const value of values) this.bytes(field, Buffer.from(value, "utf8"));
    return this;
  }

  flag(field: number, value: boolean): this {
    if (!value) return this;
    this.append(varint(field << 3));
    this.append(Uint8Array.of(1));
    return this;
  }

  message(field: number, write: (writer: ProtobufWriter) => void): this {
    const inner = new ProtobufWriter();
    write(inner);
    return this.bytes(field, inner.finish());
  }

  finish(): Uint8Array {
    return Buffer.concat(this.parts, this.length);
  }

  private bytes(field: number, value: Uint8Array): this {
    this.append(varint((field << 3) | 2));
    this.append(varint(value.length));
    this.append(value);
    return this;
  }

  private append(part: Uint8Array): void {
    this.parts.push(part);
    this.length += part.length;
  }
}

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  while (rest > 127) {
    bytes.push((rest & 127) | 128);
    rest >>>= 7;
  }
  bytes.push(rest);
  return Uint8Array.from(bytes);
}
