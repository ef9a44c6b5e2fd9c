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
