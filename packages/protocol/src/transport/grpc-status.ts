import type { IncomingHttpHeaders, IncomingHttpStatusHeader, OutgoingHttpHeaders } from "node:http2";

import { BowlineError, errorCodes, type ErrorCode } from "@bowline/core";

/** Carries our own code beside gRPC's, which has far fewer. */
const codeHeader = "bowline-code";

const statusUnknown = 2;

/** The numbers of gRPC that HTTP statuses stand for. */
const statusOfHttp: Readonly<Record<number, number>> = {
  400: 3,
  401: 16,
  403: 7,
  404: 5,
  409: 10,
  429: 8,
  499: 1,
  500: 13,
  502: 14,
  503: 14,
  504: 4,
};

/** How gRPC says why a call failed. */
export function grpcTrailers(error: BowlineError): OutgoingHttpHeaders {
  return {
    "grpc-status": String(statusOfHttp[errorCodes[error.code].httpStatus] ?? statusUnknown),
    "grpc-message": encodeURIComponent(error.message),
    [codeHeader]: error.code,
  };
}

/** The error in the head or the trailers of an answer; undefined when there is none. */
export function grpcError(headers: IncomingHttpHeaders): BowlineError | undefined {
  const status = headers["grpc-status"];
  if (status === undefined || status === "0") return undefined;
  const code = headers[codeHeader];
  const known = typeof code === "string" && isErrorCode(code);
  return new BowlineError(known ? code : "ServerError", messageIn(headers), {
    details: { grpcStatus: status },
  });
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorCodes, code);
}

function messageIn(headers: IncomingHttpHeaders): string {
  const message = headers["grpc-message"];
  if (typeof message !== "string" || message === "") return "The server refused the call without a reason.";
  try {
    return decodeURIComponent(message);
  } catch {
    // A peer that does not encode as gRPC asks; what it says still helps.
    return message;
  }
}

export const grpcContentType = "application/grpc+proto";

export type GrpcHead = IncomingHttpHeaders & IncomingHttpStatusHeader;

/** Why the head of an answer means that there is no call: the server refused it, or something else answered. */
export function refusalIn(head: GrpcHead): BowlineError | undefined {
  const refusal = grpcError(head);
  if (refusal !== undefined) return refusal;
  const status = head[":status"];
  if (status === 200 && head["content-type"]?.startsWith("application/grpc")) return undefined;
  return new BowlineError(
    "ServerError",
    `The address does not speak the protocol of agents; it answered with the status ${String(status)}.`,
  );
}
