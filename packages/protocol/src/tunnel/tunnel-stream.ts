import type { BowlineError } from "@bowline/core";

import type { AnswerHead, HeaderList } from "./frame.ts";
import type { ResetReason } from "./reset-reason.ts";

/** One exchange through the tunnel, seen from either side: a request one way, its answer the other. */
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
   * Whatever else the other side sends is not wanted. It is dropped here and, once this side has ended, the other side
   * is told to stop: how an answer that came early spares the rest of a large request.
   */
  discard(): void;

  /** Gives up: drops what waits, tells the other side why, and calls the handler no more. */
  reset(reason: ResetReason, message?: string): void;
}

/**
 * What a stream tells its owner. An error that the owner throws in here resets this stream and harms no other.
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
   * The exchange is over before it was complete: the other side reset it or broke the protocol, or the tunnel is lost.
   * Called at most once, and nothing is called after it. `details.reset` holds the reason of a reset.
   */
  error(error: BowlineError): void;
}
