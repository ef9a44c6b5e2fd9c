import { create, toBinary, type MessageInitShape } from "@bufbuild/protobuf";

import { FrameSchema } from "../gen/bowline/agent/v1/tunnel_pb.ts";

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
