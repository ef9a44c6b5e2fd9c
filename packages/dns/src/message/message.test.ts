import { BowlineError } from "@bowline/core";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { ByteReader } from "./byte-reader.ts";
import { ByteWriter } from "./byte-writer.ts";
import { classNumbers, typeNumbers } from "./codes.ts";
import { decodeAnswer, encodeRequest, type MessageRecord } from "./message.ts";
import { addressData, nameData, readAddress, readText, textData } from "./record-data.ts";
import { readTsig, sign, type TsigKey } from "./tsig.ts";

const label = fc.stringMatching(/^[a-z0-9_-]{1,20}$/u);
const name = fc.array(label, { maxLength: 8 }).map((labels) => labels.join("."));
const record = fc.record<MessageRecord>({
  name,
  // A CNAME has a name in it, which has to be one.
  type: fc
    .integer({ min: 0, max: 65_535 })
    .filter((type) => type !== typeNumbers.CNAME && type !== typeNumbers.TSIG),
  class: fc.integer({ min: 0, max: 65_535 }),
  ttlSeconds: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  data: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
});
const request = fc.record({
  id: fc.integer({ min: 0, max: 65_535 }),
  opcode: fc.constantFrom(0, 5),
  question: fc.record({ name, type: fc.integer({ min: 0, max: 65_535 }), class: fc.constant(1) }),
  prerequisites: fc.array(record, { maxLength: 10 }),
});

/** Of what is read, that it was; of what is not, with which code it was refused. */
function outcomeOf(read: () => unknown): string {
  try {
    read();
    return "read";
  } catch (error) {
    return BowlineError.from(error).code;
  }
}

const head = (questions: number, answers: number): Buffer =>
  new ByteWriter().uint16(7, 0x84_00, questions, answers, 0, 0).finish();

describe("messages", () => {
  test("are read as they were written", () => {
    fc.assert(
      fc.property(request, (sent) => {
        const { prerequisites, ...rest } = sent;
        const read = decodeAnswer(encodeRequest(sent));
        expect(read).toMatchObject({
          id: rest.id,
          opcode: rest.opcode,
          questions: [rest.question],
          isAnswer: false,
        });
        expect(read.answers).toMatchObject(prerequisites);
        expect(read.answers).toHaveLength(prerequisites.length);
      }),
    );
  });

  test("of whatever bytes are read or refused, in no more time than they are long", () => {
    const valid = request.map((sent) => encodeRequest(sent));
    const garbage = fc.uint8Array({ maxLength: 600 }).map((bytes) => Buffer.from(bytes));
    const broken = fc
      .tuple(
        valid,
        fc.array(fc.tuple(fc.nat(2_000), fc.integer({ min: 0, max: 255 })), { maxLength: 6 }),
        fc.nat(40),
      )
      .map(([bytes, changes, cut]) => {
        const copy = Buffer.from(bytes.subarray(0, bytes.length - (cut % bytes.length)));
        for (const [at, byte] of changes) copy[at % copy.length] = byte;
        return copy;
      });
    const beyondHead = garbage.map((bytes) => Buffer.concat([head(2, 3), bytes]));
    fc.assert(
      fc.property(fc.oneof(garbage, broken, beyondHead), (bytes) => {
        expect(["read", "ResponseInvalid"]).toContain(outcomeOf(() => decodeAnswer(bytes)));
      }),
      { numRuns: 500 },
    );
  });

  test.each([
    ["a name that points to itself", [0xc0, 12]],
    ["a name that points forward", [0xc0, 14, 0]],
    ["two names that point to each other", [1, 97, 0xc0, 14, 0xc0, 12]],
    ["a label longer than the message", [63, 97]],
    ["a label of an unknown kind", [0x80, 97, 0]],
    ["no end of a name", [1, 97]],
    ["a pointer cut in half", [0xc0]],
  ])("with %s are refused", (_, bytes) => {
    expect(() => decodeAnswer(Buffer.concat([head(1, 0), Buffer.from(bytes), Buffer.alloc(4)]))).toThrow(
      expect.objectContaining({ code: "ResponseInvalid" }),
    );
  });

  test("may point back as often as a name has labels, and no more often", () => {
    /** The root at 12, and behind it pointers, each to the one before. */
    const nameBehind = (hops: number): string => {
      const targets = Array.from({ length: hops }, (_, at) => (at === 0 ? 12 : 13 + 2 * (at - 1)));
      const pointers = new ByteWriter().uint16(...targets.map((target) => 0xc0_00 | target)).finish();
      return new ByteReader(
        Buffer.concat([head(1, 0), Buffer.alloc(1), pointers]),
        13 + 2 * (hops - 1),
      ).name();
    };
    expect(nameBehind(127)).toBe("");
    expect(() => nameBehind(128)).toThrow("from pointer to pointer");
  });

  test("count lengths that lie, bytes after the end and records that are not there", () => {
    const question = new ByteWriter().name("a.example.com").uint16(1, 1).finish();
    for (const bytes of [
      Buffer.concat([head(1, 1), question]),
      Buffer.concat([head(65_535, 65_535), question]),
      Buffer.concat([head(1, 0), question, Buffer.alloc(1)]),
      Buffer.concat([
        head(1, 1),
        question,
        new ByteWriter().name("").uint16(1, 1).uint32(0).uint16(9).uint32(1).finish(),
      ]),
      Buffer.alloc(11),
      Buffer.alloc(0),
    ]) {
      expect(() => decodeAnswer(bytes)).toThrow(expect.objectContaining({ code: "ResponseInvalid" }));
    }
  });

  test("have names in small letters, and no name that looks like another", () => {
    const read = (...bytes: readonly number[]): string => new ByteReader(Buffer.from(bytes)).name();
    expect(read(3, 87, 69, 66, 2, 68, 69, 0)).toBe("web.de");
    // A dot inside of a label, a letter beyond ASCII.
    expect(read(3, 97, 46, 98, 0)).toBe(String.raw`a\046b`);
    expect(read(1, 0xc4, 0)).toBe(String.raw`\196`);
    expect(read(0)).toBe("");
  });

  test("are refused when they would be too long for TCP", () => {
    const add = { name: "a", type: 1, class: 1, ttlSeconds: 0, data: Buffer.alloc(60_000) };
    const question = { name: "a", type: 6, class: 1 };
    const tooLong = { id: 1, opcode: 5, question, changes: [add, add] };
    expect(() => encodeRequest(tooLong)).toThrow("too many records");
  });
});

describe("the data of records", () => {
  test("is the same after writing and reading", () => {
    fc.assert(
      fc.property(fc.ipV4(), fc.ipV6(), fc.stringMatching(/^[ -~]{1,700}$/u), (v4, v6, text) => {
        expect(readAddress("A", addressData("A", v4))).toBe(v4);
        const bytes = addressData("AAAA", v6);
        expect(bytes).toHaveLength(16);
        expect(addressData("AAAA", readAddress("AAAA", bytes) ?? "")).toEqual(bytes);
        expect(readText(textData(text))).toBe(text);
      }),
    );
    expect(addressData("AAAA", "2001:db8::1.2.3.4").toString("hex")).toBe("20010db8000000000000000001020304");
    expect(readAddress("AAAA", Buffer.alloc(16))).toBe("::");
    expect(readAddress("A", Buffer.alloc(5))).toBeUndefined();
    expect(nameData("a.b").toString("latin1")).toBe("\u0001a\u0001b\0");
  });

  test("of names that DNS cannot have is refused", () => {
    for (const text of ["a..b", "a".repeat(64), ".a"]) {
      expect(() => nameData(text)).toThrow(expect.objectContaining({ code: "InvalidArgument" }));
    }
  });
});

test("a signature is the last record, is counted, and is that of the message, the key and the time", () => {
  const key: TsigKey = { name: "key.example.com", algorithm: "hmac-sha256", secret: Buffer.from("secret") };
  const question = { name: "example.com", type: typeNumbers.SOA, class: classNumbers.IN };
  const message = encodeRequest({ id: 4_711, opcode: 5, question });
  const { bytes, mac } = sign(message, key, 1_700_000_000_000);
  expect(bytes.readUInt16BE(10)).toBe(1);
  expect(bytes.subarray(12, message.length)).toEqual(message.subarray(12));
  const { tsig } = decodeAnswer(bytes);
  expect(tsig === undefined ? undefined : readTsig(tsig)).toMatchObject({
    algorithm: "hmac-sha256",
    signedAtSeconds: 1_700_000_000,
    fudgeSeconds: 300,
    originalId: 4_711,
    error: 0,
    mac,
  });
  const others = [
    sign(
      Buffer.concat([message.subarray(0, 11), Buffer.from([1]), message.subarray(12)]),
      key,
      1_700_000_000_000,
    ),
    sign(message, { ...key, secret: Buffer.from("other") }, 1_700_000_000_000),
    sign(message, { ...key, name: "other" }, 1_700_000_000_000),
    sign(message, key, 1_700_000_001_000),
  ];
  expect(new Set([mac, ...others.map((each) => each.mac)].map((each) => each.toString("hex"))).size).toBe(5);
});
