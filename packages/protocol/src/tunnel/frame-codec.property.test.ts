import { fromBinary } from "@bufbuild/protobuf";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { FrameSchema, type Frame } from "../gen/bowline/agent/v1/tunnel_pb.ts";
import { arbitraryFrame, frameBytes, grpcMessage } from "../testing/frame-samples.ts";
import { RecordingSink, type SinkEvent } from "../testing/recording-sink.ts";
import { encodeDrain, encodeEnd, encodeHeaders, encodeOpen, encodeReset } from "./body-codec.ts";
import { bodyTag } from "./frame.ts";
import { FrameDecoder } from "./frame-decoder.ts";
import { OutgoingBatch } from "./outgoing-batch.ts";
import { reasonOfWire } from "./tunnel-stream.ts";

const seed = 20_260_115;

/** The frame as our own encoder writes it. */
function encode({ stream, body }: Frame): Buffer {
  const batch = new OutgoingBatch();
  switch (body.case) {
    case "open": {
      const { method, path, headers, upgrade, end } = body.value;
      batch.appendFrame(stream, bodyTag.open, encodeOpen({ method, path, headers, upgrade }, end));
      break;
    }
    case "headers":
      batch.appendFrame(stream, bodyTag.headers, encodeHeaders(body.value));
      break;
    case "data":
      batch.beginFrame(stream, bodyTag.data, body.value.length);
      batch.append(Buffer.from(body.value));
      break;
    case "end":
      batch.appendFrame(stream, bodyTag.end, encodeEnd(body.value.trailers));
      break;
    case "reset":
      batch.appendFrame(
        stream,
        bodyTag.reset,
        encodeReset(reasonOfWire(body.value.reason), body.value.message),
      );
      break;
    case "drain":
      batch.appendFrame(stream, bodyTag.drain, encodeDrain(body.value.reason));
      break;
    case "window":
    case "ping":
    case "pong":
      batch.appendNumberFrame(stream, bodyTag[body.case], body.value);
      break;
    case undefined:
      break;
  }
  return Buffer.concat(batch.take());
}

/** The event that the decoder must make of the frame. */
function expected({ stream, body }: Frame): SinkEvent {
  switch (body.case) {
    case "open": {
      const { method, path, headers, upgrade, end } = body.value;
      const head = { method, path, headers, upgrade: upgrade === "" ? undefined : upgrade };
      return { kind: "open", stream, body: { head, end } };
    }
    case "headers":
      return { kind: "headers", stream, head: { status: body.value.status, headers: body.value.headers } };
    case "data":
      return { kind: "data", stream, hex: Buffer.from(body.value).toString("hex") };
    case "window":
      return { kind: "window", stream, bytes: body.value };
    case "end":
      return { kind: "end", stream, trailers: body.value.trailers };
    case "reset": {
      const { reason, message } = body.value;
      return { kind: "reset", stream, body: { reason: reasonOfWire(reason), message } };
    }
    case "ping":
    case "pong":
      return { kind: body.case, value: body.value };
    case "drain":
      return { kind: "drain", reason: body.value.reason };
    case undefined:
    default:
      throw new Error("a frame without a body");
  }
}

function decode(chunks: readonly Buffer[]): SinkEvent[] {
  const sink = new RecordingSink();
  const decoder = new FrameDecoder(sink);
  for (const chunk of chunks) decoder.push(chunk);
  return sink.events;
}

/** DATA frames of one stream that follow each other look like one. */
function joined(frames: readonly Frame[]): SinkEvent[] {
  const sink = new RecordingSink();
  for (const frame of frames) {
    const event = expected(frame);
    if (event.kind === "data") sink.data(event.stream, Buffer.from(event.hex, "hex"));
    else sink.events.push(event);
  }
  return sink.events;
}

describe("the frames on the wire", () => {
  test("are what the generated code reads", () => {
    fc.assert(
      fc.property(arbitraryFrame, (frame) => {
        const bytes = encode(frame);
        expect(bytes.readUInt32BE(1)).toBe(bytes.length - 5);
        expect(fromBinary(FrameSchema, new Uint8Array(bytes.subarray(5)))).toEqual(frame);
      }),
      { seed, numRuns: 500 },
    );
  });

  test("are read as the generated code writes them", () => {
    fc.assert(
      fc.property(arbitraryFrame, (frame) => {
        expect(decode([frameBytes(frame)])).toEqual([expected(frame)]);
      }),
      { seed, numRuns: 500 },
    );
  });

  test("are the same however the bytes are cut", () => {
    const cuts = fc.array(fc.nat(), { maxLength: 12 });
    fc.assert(
      fc.property(fc.array(arbitraryFrame, { minLength: 1, maxLength: 8 }), cuts, (frames, at) => {
        const bytes = Buffer.concat(frames.map(encode));
        const offsets = at.map((cut) => cut % bytes.length).sort((a, b) => a - b);
        const chunks = [0, ...offsets].map((start, index) => bytes.subarray(start, offsets[index]));
        expect(decode(chunks)).toEqual(joined(frames));
      }),
      { seed, numRuns: 300 },
    );
  });

  test("are the same cut at every single place, and byte by byte", () => {
    fc.assert(
      fc.property(fc.array(arbitraryFrame, { minLength: 1, maxLength: 3 }), (frames) => {
        const bytes = Buffer.concat(frames.map(encode));
        const whole = joined(frames);
        for (let cut = 1; cut < bytes.length; cut++) {
          expect(decode([bytes.subarray(0, cut), bytes.subarray(cut)])).toEqual(whole);
        }
        expect(decode(Array.from(bytes, (byte) => Buffer.of(byte)))).toEqual(whole);
      }),
      { seed, numRuns: 15 },
    );
  });

  test("may be followed by kinds and fields of a later version", () => {
    const ping = frameBytes({ body: { case: "ping", value: 7 } });
    const unknownBody = grpcMessage(Buffer.from([0x0d, 1, 0, 0, 0, (14 << 3) | 2, 3, 1, 2, 3]));
    const unknownField = grpcMessage(Buffer.from([0x0d, 1, 0, 0, 0, bodyTag.end, 2, 0x78, 5]));
    const nothing = grpcMessage(Buffer.alloc(0));
    expect(decode([unknownBody, unknownField, nothing, ping])).toEqual([
      { kind: "end", stream: 1, trailers: [] },
      { kind: "ping", value: 7 },
    ]);
  });
});
