import { BowlineError } from "@bowline/core";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { arbitraryFrame, frameBytes, grpcMessage } from "../testing/frame-samples.ts";
import { RecordingSink, type SinkEvent } from "../testing/recording-sink.ts";
import { bodyTag, maxControlBytes, maxDataBytes } from "./frame.ts";
import { FrameDecoder } from "./frame-decoder.ts";

const seed = 20_260_116;

interface Outcome {
  readonly events: readonly SinkEvent[];
  /** The error that ended the decoding; undefined when all bytes were taken. */
  readonly failure: BowlineError | undefined;
}

/** Any other error than the one that is promised fails the test. */
function feed(chunks: readonly Buffer[]): Outcome {
  const sink = new RecordingSink();
  const decoder = new FrameDecoder(sink);
  try {
    for (const chunk of chunks) decoder.push(chunk);
  } catch (error) {
    return { events: sink.events, failure: asViolation(error) };
  }
  for (const event of sink.events) if (event.kind === "malformed") asViolation(event.error);
  return { events: sink.events, failure: undefined };
}

function asViolation(error: unknown): BowlineError {
  if (error instanceof BowlineError && error.code === "ProtocolViolation") return error;
  throw error;
}

function cut(bytes: Buffer, size: number): Buffer[] {
  const chunks: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
  return chunks;
}

const outcomeOf = ({ events, failure }: Outcome): unknown => [
  events.map((event) => (event.kind === "malformed" ? { ...event, error: String(event.error) } : event)),
  failure?.message,
];

const mutation = fc.oneof(
  fc.record({ do: fc.constant("flip" as const), at: fc.nat(), bits: fc.integer({ min: 1, max: 255 }) }),
  fc.record({ do: fc.constant("cut" as const), at: fc.nat(), count: fc.integer({ min: 1, max: 9 }) }),
  fc.record({
    do: fc.constant("insert" as const),
    at: fc.nat(),
    bytes: fc.uint8Array({ minLength: 1, maxLength: 9 }),
  }),
);
type Mutation = typeof mutation extends fc.Arbitrary<infer T> ? T : never;

function mutate(bytes: Buffer, change: Mutation): Buffer {
  const at = change.at % (bytes.length + 1);
  if (change.do === "cut") return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + change.count)]);
  if (change.do === "insert") return Buffer.concat([bytes.subarray(0, at), change.bytes, bytes.subarray(at)]);
  const flipped = Buffer.from(bytes);
  flipped[at] = (flipped[at] ?? 0) ^ change.bits;
  return flipped.subarray(0, bytes.length);
}

describe("the decoder, given anything", () => {
  test("random bytes end in frames or in ProtocolViolation, however they are cut", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), fc.integer({ min: 1, max: 50 }), (array, size) => {
        const bytes = Buffer.from(array);
        expect(outcomeOf(feed(cut(bytes, size)))).toEqual(outcomeOf(feed([bytes])));
      }),
      { seed, numRuns: 2000 },
    );
  });

  test("random bodies in a well-formed frame spoil at most their own stream", () => {
    const tags = Object.values(bodyTag).filter((tag) => (tag & 7) === 2 && tag !== bodyTag.data);
    fc.assert(
      fc.property(fc.constantFrom(...tags), fc.uint8Array({ maxLength: 100 }), (tag, body) => {
        const spoilt = grpcMessage(Buffer.from([0x0d, 9, 0, 0, 0, tag, body.length, ...body]));
        const { events, failure } = feed([
          spoilt,
          frameBytes({ stream: 3, body: { case: "window", value: 5 } }),
        ]);
        expect(failure).toBeUndefined();
        expect(events).toHaveLength(2);
        expect(events[1]).toEqual({ kind: "window", stream: 3, bytes: 5 });
      }),
      { seed, numRuns: 3000 },
    );
  });

  test("mutated frames end in frames or in ProtocolViolation, however they are cut", () => {
    const frames = fc.array(arbitraryFrame, { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(
        frames,
        fc.array(mutation, { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 1, max: 40 }),
        (original, mutations, size) => {
          const bytes = mutations.reduce(mutate, Buffer.concat(original.map(frameBytes)));
          expect(outcomeOf(feed(cut(bytes, size)))).toEqual(outcomeOf(feed([bytes])));
        },
      ),
      { seed, numRuns: 2000 },
    );
  });
});

describe("the decoder refuses at once, before anything of the body is there,", () => {
  const header = (length: number, ...rest: number[]): Buffer => {
    const bytes = Buffer.from([0, 0, 0, 0, 0, ...rest]);
    bytes.writeUInt32BE(length, 1);
    return bytes;
  };

  test.each([
    ["a frame longer than any may be", header(maxControlBytes + 1)],
    ["a length of four gigabytes", header(2 ** 32 - 1)],
    ["DATA longer than DATA may be", header(maxDataBytes + 5, bodyTag.data, 0x81, 0x80, 0x04)],
    ["compression", Buffer.from([1, 0, 0, 0, 2])],
    ["a body that is shorter than it says", header(4, bodyTag.data, 9)],
    ["a body that is longer than it says", header(9, bodyTag.data, 2)],
    ["a length that never ends", header(20, bodyTag.data, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80)],
    ["a number that never ends", header(30, bodyTag.ping, 0x80)],
    ["a frame that ends within its stream", header(3, 0x0d, 1, 0)],
    ["a frame that ends within its length", header(2, bodyTag.data, 0x80)],
  ])("%s", (_, bytes) => {
    expect(feed([bytes]).failure?.code).toBe("ProtocolViolation");
    expect(feed(cut(bytes, 1)).failure?.code).toBe("ProtocolViolation");
  });
});

describe("what would become HTTP further on is checked:", () => {
  const evil = "x\r\nset-cookie: a=b";
  test.each([
    ["the method", { method: "GET /", path: "/", headers: [] }],
    ["a method that is missing", { method: "", path: "/", headers: [] }],
    ["the path", { method: "GET", path: "/ HTTP/1.1\r\nx: y", headers: [] }],
    ["a path that is a URL", { method: "GET", path: "http://elsewhere/", headers: [] }],
    ["a header's name", { method: "GET", path: "/", headers: [evil, "v"] }],
    ["a header's value", { method: "GET", path: "/", headers: ["n", evil] }],
    ["a header beyond Latin-1", { method: "GET", path: "/", headers: ["n", "\u2028"] }],
    ["a name without a value", { method: "GET", path: "/", headers: ["n"] }],
    ["the protocol to upgrade to", { method: "GET", path: "/", headers: [], upgrade: evil }],
  ])("%s", (_, value) => {
    const [event] = feed([frameBytes({ stream: 1, body: { case: "open", value } })]).events;
    expect(event).toMatchObject({ kind: "malformed", stream: 1, error: { code: "ProtocolViolation" } });
  });

  test.each([
    ["a status of 0", { status: 0, headers: [] }],
    ["a status of 1000", { status: 1000, headers: [] }],
    ["a header's value", { status: 200, headers: ["n", evil] }],
  ])("%s in an answer", (_, value) => {
    const [event] = feed([frameBytes({ stream: 1, body: { case: "headers", value } })]).events;
    expect(event).toMatchObject({ kind: "malformed", stream: 1 });
  });

  test("trailers", () => {
    const [event] = feed([
      frameBytes({ stream: 1, body: { case: "end", value: { trailers: ["n", evil] } } }),
    ]).events;
    expect(event).toMatchObject({ kind: "malformed", stream: 1 });
  });
});
