import {
  create,
  fromBinary,
  toBinary,
  type DescMessage,
  type DescMethod,
  type MessageInitShape,
  type MessageShape,
} from "@bufbuild/protobuf";

import { JoinRequestSchema, JoinResponseSchema, JoinService } from "../gen/bowline/agent/v1/join_pb.ts";
import {
  ReportRequestSchema,
  ReportResponseSchema,
  ReportService,
} from "../gen/bowline/agent/v1/report_pb.ts";
import {
  OpenSessionRequestSchema,
  OpenSessionResponseSchema,
  SessionService,
} from "../gen/bowline/agent/v1/session_pb.ts";
import type { MessageOrder } from "../message-order.ts";
import {
  joinAgentOrder,
  joinServerOrder,
  reportAgentOrder,
  reportServerOrder,
  sessionAgentOrder,
  sessionServerOrder,
} from "../order-tables.ts";

/** One direction of a call: what its messages are, and the order they come in. */
export interface CallDirection<Init, Shape> {
  encode(message: Init): Uint8Array;
  /** Throws what the library throws when the bytes are no such message. */
  decode(bytes: Uint8Array): Shape;
  /** The name of a message in the order; undefined for one that a later version has brought. */
  nameOf(message: Shape): string | undefined;
  readonly order: MessageOrder<string, string>;
}

/** A method of a service that carries messages both ways. */
export interface CallKind<RequestInit, RequestShape, ResponseInit, ResponseShape> {
  /** The `:path` of the call. */
  readonly path: string;
  readonly request: CallDirection<RequestInit, RequestShape>;
  readonly response: CallDirection<ResponseInit, ResponseShape>;
  /** The longest message either side accepts. */
  readonly maxMessageBytes: number;
}

export const joinCall = {
  path: pathOf(JoinService.method.join),
  request: direction(JoinRequestSchema, joinAgentOrder, ({ message }) => message.case),
  response: direction(JoinResponseSchema, joinServerOrder, ({ message }) => message.case),
  maxMessageBytes: 16 * 1024,
};

export const sessionCall = {
  path: pathOf(SessionService.method.openSession),
  request: direction(OpenSessionRequestSchema, sessionAgentOrder, ({ message }) => message.case),
  response: direction(OpenSessionResponseSchema, sessionServerOrder, ({ message }) => message.case),
  maxMessageBytes: 256 * 1024,
};

export const reportCall = {
  path: pathOf(ReportService.method.report),
  request: direction(ReportRequestSchema, reportAgentOrder, ({ message }) => message.case),
  response: direction(ReportResponseSchema, reportServerOrder, ({ message }) => message.case),
  /** Four of them may wait to be read, of each agent. */
  maxMessageBytes: 1024 * 1024,
};

function pathOf(method: DescMethod): string {
  return `/${method.parent.typeName}/${method.name}`;
}

function direction<Schema extends DescMessage>(
  schema: Schema,
  order: MessageOrder<string, string>,
  nameOf: (message: MessageShape<Schema>) => string | undefined,
): CallDirection<MessageInitShape<Schema>, MessageShape<Schema>> {
  return {
    encode: (message) => toBinary(schema, create(schema, message)),
    decode: (bytes) => fromBinary(schema, bytes),
    nameOf,
    order,
  };
}
