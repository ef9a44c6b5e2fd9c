import { create, toBinary, type MessageInitShape } from "@bufbuild/protobuf";
import * as fc from "fast-check";

import { FrameSchema, ResetReason, type Frame } from "../gen/bowline/agent/v1/tunnel_pb.ts";

/** A gRPC message around any bytes. */
export function grpcMessage(message: Uint8Array): Buffer {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}

/** A frame as the generated code writes it: what a peer made with any gRPC library would send. */
export function frameBytes(frame: MessageInitShape<typeof FrameSchema>): Buffer {
  return grpcMessage(toBinary(FrameSchema, create(FrameSchema, frame)));
}

type Body = NonNullable<MessageInitShape<typeof FrameSchema>["body"]>;

const token = fc.stringMatching(/^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,12}$/);
/** Latin-1 without control characters: what a header may hold, and more than one byte of UTF-8 in places. */
const value = fc.stringMatching(/^[\t\u0020-\u007e\u00a0-\u00ff]{0,40}$/);
const headers = fc.array(fc.tuple(token, value), { maxLength: 6 }).map((pairs) => pairs.flat());
const path = fc.stringMatching(/^\/[!-~]{0,60}$/);
const reasons = Object.values(ResetReason).filter((reason) => reason !== ResetReason.UNSPECIFIED);

const body: fc.Arbitrary<Body> = fc.oneof(
  fc
    .record({ method: token, path, headers, end: fc.boolean(), upgrade: fc.constantFrom("", "websocket") })
    .map((open): Body => ({ case: "open", value: open })),
  fc
    .record({ status: fc.integer({ min: 100, max: 599 }), headers })
    .map((head): Body => ({ case: "headers", value: head })),
  fc.uint8Array({ maxLength: 600 }).map((data): Body => ({ case: "data", value: data })),
  fc.nat(2 ** 31 - 1).map((bytes): Body => ({ case: "window", value: bytes })),
  headers.map((trailers): Body => ({ case: "end", value: { trailers } })),
  fc
    .record({ reason: fc.constantFrom(...reasons), message: fc.string({ unit: "grapheme", maxLength: 30 }) })
    .map((reset): Body => ({ case: "reset", value: reset })),
  fc.nat(2 ** 32 - 1).map((number): Body => ({ case: "ping", value: number })),
  fc.nat(2 ** 32 - 1).map((number): Body => ({ case: "pong", value: number })),
  fc
    .string({ unit: "grapheme", maxLength: 30 })
    .map((reason): Body => ({ case: "drain", value: { reason } })),
);

/** Any frame that is well-formed by itself, as the generated code sees it. */
export const arbitraryFrame: fc.Arbitrary<Frame> = fc
  .tuple(fc.oneof(fc.nat(12), fc.nat(2 ** 32 - 1)), body)
  .map(([stream, frameBody]) => create(FrameSchema, { stream, body: frameBody }));
