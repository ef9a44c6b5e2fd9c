import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

import { BowlineError } from "@bowline/core";
import { gatheredWrites, type HeaderList } from "@bowline/protocol";

import { answerHeaders, answerTrailers, type AnswerContext } from "../answer/answer-headers.ts";

/**
 * Writes the answer of a cluster to a client. Head, body and end of a small answer arrive in the same turn of the event
 * loop and leave in one packet; whatever else comes leaves with what came in the same turn.
 *
 * It holds the answer to the length it announced: a body that is longer would be read as the beginning of the next
 * answer on the connection, and clusters must not write those.
 */
export class AnswerWriter {
  readonly #response: ServerResponse;
  /** Bytes still to come of the announced length; undefined when there is none. */
  #left: number | undefined;
  #isFlushed = false;
  /** Holds the beginning back; none while the connection is busy with an earlier answer. */
  #corked: Socket | null = null;
  /** Made for those that are not small. */
  #writeMore: ((chunk: Buffer) => boolean) | undefined;
  bytes = 0;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  /** `ResponseInvalid` for a head that cannot be passed on. */
  begin(status: number, raw: HeaderList, context: AnswerContext): void {
    const { headers, contentLength } = answerHeaders(raw, context);
    const response = this.#response;
    const hasBody = response.req.method !== "HEAD" && status !== 204 && status !== 304;
    this.#left = hasBody ? contentLength : undefined;
    response.writeHead(status, status === 204 ? withoutLength(headers) : headers);
    // Not the answer itself is corked: node:http mixes up the chunks of one that is ended while it is.
    this.#corked = response.socket;
    this.#corked?.cork();
    // Not at the next tick: TLS hands over what has come record by record, with ticks in between.
    setImmediate(flush, this);
  }

  write(chunk: Buffer): boolean {
    this.bytes += chunk.length;
    if (this.#left !== undefined) {
      this.#left -= chunk.length;
      if (this.#left < 0) throw wrongLength("longer");
    }
    if (!this.#isFlushed) return this.#response.write(chunk);
    this.#writeMore ??= gatheredWrites(this.#response);
    return this.#writeMore(chunk);
  }

  end(trailers: HeaderList): void {
    if (this.#left !== undefined && this.#left > 0) throw wrongLength("shorter");
    if (trailers.length > 0) this.#response.addTrailers(answerTrailers(trailers));
    this.#response.end();
  }

  /** Sends what has gathered in this turn, or the head alone: who watches wants to know that the watch has begun. */
  flush(): void {
    this.#isFlushed = true;
    // Its end has sent everything, and the next answer may have begun on the connection.
    if (this.#response.writableEnded || this.#response.destroyed) return;
    this.#corked?.uncork();
    if (this.bytes === 0) this.#response.flushHeaders();
  }
}

function flush(writer: AnswerWriter): void {
  writer.flush();
}

function withoutLength(headers: readonly string[]): string[] {
  return headers.filter((_, index) => headers[index - (index % 2)]?.toLowerCase() !== "content-length");
}

function wrongLength(than: "longer" | "shorter"): BowlineError {
  return new BowlineError("ResponseInvalid", `The answer is ${than} than it said it would be.`);
}
