import type { IncomingHttpHeaders, IncomingHttpStatusHeader } from "node:http2";

import { BowlineError } from "@bowline/core";

import { grpcError } from "./grpc-status.ts";

export const grpcContentType = "application/grpc+proto";

export type AnswerHead = IncomingHttpHeaders & IncomingHttpStatusHeader;

/** Why the head of an answer means that there is no call: the server refused it, or something else answered. */
export function refusalIn(head: AnswerHead): BowlineError | undefined {
  const refusal = grpcError(head);
  if (refusal !== undefined) return refusal;
  const status = head[":status"];
  if (status === 200 && head["content-type"]?.startsWith("application/grpc")) return undefined;
  return new BowlineError(
    "ServerError",
    `The address does not speak the protocol of agents; it answered with the status ${String(status)}.`,
  );
}
