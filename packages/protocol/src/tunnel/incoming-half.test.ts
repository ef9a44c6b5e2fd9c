import { describe, expect, test } from "vitest";

import { answerOrder } from "../order-tables.ts";
import { RecordingHandler } from "../testing/recording-handler.ts";
import { IncomingHalf } from "./incoming-half.ts";
import { HeldBytes, WindowBudget, type Holder } from "./tunnel-memory.ts";

function setUp(): { half: IncomingHalf; reader: RecordingHandler; held: HeldBytes } {
  const order = answerOrder.start();
  order.accept("HEADERS");
  const reader = new RecordingHandler();
  const held = new HeldBytes(1_000);
  const half = new IncomingHalf({
    order,
    host: {
      budget: new WindowBudget(0),
      maxWindowBytes: 0,
      roundTripMs: () => undefined,
      nowMs: () => 0,
    },
    data: (chunk) => reader.data(chunk),
    end: (trailers) => reader.end(trailers),
    grant: () => {},
    heldBytesChanged: (by) => held.changed(holder, by),
  });
  const holder: Holder = {
    get heldBytes() {
      return half.heldBytes;
    },
    abort: () => {},
  };
  return { half, reader, held };
}

describe("IncomingHalf", () => {
  test("holds nothing of what was dropped, and tells no end of it", () => {
    const { half, reader, held } = setUp();
    reader.takesMore = false;
    half.data(Buffer.from("read"));
    half.data(Buffer.from("held"));
    half.end([]);
    expect([held.bytes, held.holders]).toEqual([4, 1]);
    half.drop();
    expect([held.bytes, held.holders]).toEqual([0, 0]);
    half.resume();
    expect(reader).toMatchObject({ text: "read", ends: [] });
  });

  test("tells the end once, after what has waited", () => {
    const { half, reader, held } = setUp();
    reader.takesMore = false;
    half.data(Buffer.from("read "));
    half.data(Buffer.from("held"));
    half.end(["x-t", "v"]);
    expect(reader.ends).toEqual([]);
    half.resume();
    half.resume();
    expect(reader).toMatchObject({ text: "read held", ends: [["x-t", "v"]] });
    expect([held.bytes, held.holders]).toEqual([0, 0]);
  });

  test("hands over nothing for DATA without bytes", () => {
    const { half, reader } = setUp();
    half.data(Buffer.alloc(0));
    expect(reader.chunks).toEqual([]);
  });

  test("hands over a few bytes without the large buffer they came in", () => {
    const { half, reader } = setUp();
    half.data(Buffer.alloc(16_384).subarray(0, 10));
    expect(reader.chunks.map(({ buffer }) => buffer.byteLength)).toEqual([10]);
  });
});
