import { BowlineError, type ErrorCode } from "@bowline/core";

import { ResetReason as WireReason } from "../gen/bowline/agent/v1/tunnel_pb.ts";

/** Why a stream ended early, with what the error is called on the side that hears of it. */
const reasons = {
  cancelled: { wire: WireReason.CANCELLED, code: "Cancelled", text: "The other side gave up" },
  protocol: { wire: WireReason.PROTOCOL, code: "ProtocolViolation", text: "The other side saw a violation" },
  refused: { wire: WireReason.REFUSED, code: "TunnelDraining", text: "The other side takes no new stream" },
  overloaded: { wire: WireReason.OVERLOADED, code: "TooManyRequests", text: "The other side is overloaded" },
  unreachable: { wire: WireReason.UNREACHABLE, code: "ConnectionFailed", text: "The target is unreachable" },
  upstream: { wire: WireReason.UPSTREAM, code: "ResponseInvalid", text: "The target broke off" },
  timeout: { wire: WireReason.TIMEOUT, code: "Timeout", text: "A time limit passed on the other side" },
  internal: { wire: WireReason.INTERNAL, code: "Internal", text: "The other side failed" },
  lost: { wire: WireReason.LOST, code: "TunnelLost", text: "The tunnel behind the other side is gone" },
} as const satisfies Record<string, { wire: number; code: ErrorCode; text: string }>;

export type ResetReason = keyof typeof reasons;

const byWire = new Map<number, ResetReason>(
  Object.entries(reasons).map(([name, { wire }]) => [wire, name as ResetReason]),
);

const byCode = new Map<ErrorCode, ResetReason>(
  Object.entries(reasons).map(([name, { code }]) => [code, name as ResetReason]),
);

/** The reason that becomes this error on the other side: how a stream's end is passed on to the next tunnel. */
export const resetReasonOf = ({ code }: BowlineError): ResetReason => byCode.get(code) ?? "internal";

export const wireReason = (reason: ResetReason): number => reasons[reason].wire;

/** A reason of a later version is a failure like any other. */
export const reasonOfWire = (wire: number): ResetReason => byWire.get(wire) ?? "internal";

/** What the owner of a stream is told when the other side resets it. */
export function resetError(reason: ResetReason, message: string): BowlineError {
  const { code, text } = reasons[reason];
  return new BowlineError(code, message === "" ? `${text}.` : message, { details: { reset: reason } });
}
