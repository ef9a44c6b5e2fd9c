import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { WireError, WireReader } from "./wire-reader.ts";

function readerOf(...bytes: number[]): WireReader {
  return new WireReader(Buffer.from(bytes));
}

/** The values of all fields, each by its number. */
function numbersOf(...bytes: number[]): [number, number][] {
  const reader = readerOf(...bytes);
  return Array.from(reader.fields(), (field) => [field, reader.varint()]);
}

function skipAll(...bytes: number[]): number[] {
  const reader = readerOf(...bytes);
  return Array.from(reader.fields(), (field) => {
    reader.skip();
    return field;
  });
}

describe("the wire format", () => {
  it("has numbers of one to ten bytes", () => {
    expect(numbersOf(0x08, 0x00, 0x10, 0x96, 0x01)).toEqual([
      [1, 0],
      [2, 150],
    ]);
    expect(numbersOf(0x08, ...Array.from({ length: 9 }, () => 0xff), 0x01)).toEqual([[1, -1]]);
    expect(numbersOf(0x08, 0xff, 0xff, 0xff, 0xff, 0x07)).toEqual([[1, 2 ** 31 - 1]]);
  });

  it("reads every number as it was written", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 53n), max: 2n ** 53n }), (value) => {
        const bytes: number[] = [];
        let rest = BigInt.asUintN(64, value);
        for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
        expect(numbersOf(0x08, ...bytes, Number(rest))).toEqual([[1, Number(value)]]);
      }),
    );
  });

  it("lets fields of every known type be passed over", () => {
    const fixed64 = [0x11, 1, 2, 3, 4, 5, 6, 7, 8];
    const fixed32 = [0x25, 1, 2, 3, 4];
    expect(skipAll(0x08, 0x05, ...fixed64, 0x1a, 0x02, 9, 9, ...fixed32)).toEqual([1, 2, 3, 4]);
  });

  it.each([
    ["a number that does not end", [0x08, 0xff]],
    ["a number beyond 64 bits", [0x08, ...Array.from({ length: 10 }, () => 0xff), 0x01]],
    ["content that is shorter than it says", [0x0a, 0x03, 1, 2]],
    ["content of negative length", [0x0a, ...Array.from({ length: 9 }, () => 0xff), 0x01]],
    ["field 0", [0x00, 0x01]],
    ["a field number beyond 29 bits", [0x80, 0x80, 0x80, 0x80, 0x10, 0x01]],
    ["groups", [0x0b, 0x0c]],
    ["wire types that nobody knows", [0x0e]],
  ])("does not have %s", (_what, bytes) => {
    expect(() => skipAll(...bytes)).toThrow(WireError);
  });

  it("does not take one type for another", () => {
    const reader = readerOf(0x08, 0x01);
    reader.fields().next();
    expect(() => reader.bytes()).toThrow("field 1 has the wire type 0, not 2");
    expect(() => reader.double()).toThrow(WireError);
  });
});
