import { BowlineError, type ErrorCode } from "@bowline/core";

import { ResetReason as WireReason } from "../gen/bowline/agent/v1/tunnel_pb.ts";
import type { AnswerHead, HeaderList } from "./http-head.ts";

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

/** The error that the owner of a stream is told when the other side resets it. */
export function resetError(reason: ResetReason, message: string): BowlineError {
  const { code, text } = reasons[reason];
  return new BowlineError(code, message === "" ? `${text}.` : message, { details: { reset: reason } });
}

/** One stream through the tunnel, seen from either side: a request one way, its answer the other. */
export interface TunnelStream {
  readonly id: number;

  /**
   * Sends the head of the answer; only where the stream was accepted. A head below 200, other than 101, is an interim
   * one: another follows it.
   */
  sendHeaders(head: AnswerHead): void;

  /**
   * Sends bytes, which must not be changed afterwards. False means: wait for `drain` before you write more. Once the
   * stream is over, bytes are dropped and the answer is true.
   */
  write(chunk: Buffer): boolean;

  /** Nothing more will be written. The other direction goes on. */
  end(trailers?: HeaderList): void;

  /** The handler can take bytes again, after its `data` returned false. */
  resume(): void;

  /**
   * The rest of what the other side sends is not wanted. It is dropped here and, once this side has ended, the other side
   * is told to stop: how an answer that came early spares the rest of a large request.
   */
  discard(): void;

  /** Gives up: drops what waits, tells the other side why, and calls the handler no more. */
  reset(reason: ResetReason, message?: string): void;
}

/**
 * The owner of a stream, as the stream calls it. An error that it throws in here resets this stream and harms no other.
 */
export interface StreamHandler {
  /** The head of the answer, perhaps after interim ones (1xx); only where the stream was opened. */
  headers?(head: AnswerHead): void;

  /** The next bytes, yours to keep. Return false to be given no more until you call `resume()`. */
  data(chunk: Buffer): boolean;

  /** The other side will send nothing more. */
  end(trailers: HeaderList): void;

  /** `write` returned false; now there is room, or nobody to send to any more. */
  drain?(): void;

  /**
   * The stream is over before it was complete: the other side reset it or broke the protocol, or the tunnel is lost.
   * Called at most once, and nothing is called after it. `details.reset` holds the reason of a reset.
   */
  error(error: BowlineError): void;
}
