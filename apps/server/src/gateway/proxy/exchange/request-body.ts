import type { IncomingMessage } from "node:http";

import type { TunnelStream } from "@bowline/protocol";

import { requestTrailers } from "../request/request-trailers.ts";

/** What is read of a request after it has been answered, so that the connection can be used again. */
const maxUnwantedBytes = 256 * 1024;

/** Who wants to know how far the body is. */
export interface BodyProgress {
  readonly passed: (bytes: number) => void;
  readonly sent: () => void;
}

/** Sends the body of a request on as it comes, no faster than the tunnel takes it. */
export class RequestBody {
  readonly #request: IncomingMessage;
  readonly #stream: TunnelStream;
  readonly #told: BodyProgress;
  #unwanted: number | undefined;
  bytes = 0;

  constructor(request: IncomingMessage, stream: TunnelStream, told: BodyProgress) {
    this.#request = request;
    this.#stream = stream;
    this.#told = told;
    request.on("data", (chunk: Buffer) => this.#data(chunk));
    request.on("end", () => this.#end());
  }

  /** The tunnel has room again. */
  resume(): void {
    this.#request.resume();
  }

  /** The answer is complete: nobody needs the rest. */
  discardRest(): void {
    if (this.#request.readableEnded) return;
    this.#unwanted = 0;
    this.#request.resume();
  }

  #data(chunk: Buffer): void {
    if (this.#unwanted !== undefined) return this.#discard(chunk.length);
    this.bytes += chunk.length;
    this.#told.passed(chunk.length);
    if (!this.#stream.write(chunk)) this.#request.pause();
  }

  /** A client that does not stop has not understood; the connection is all that is left to be taken from it. */
  #discard(bytes: number): void {
    this.#unwanted = (this.#unwanted ?? 0) + bytes;
    if (this.#unwanted > maxUnwantedBytes) this.#request.destroy();
  }

  #end(): void {
    if (this.#unwanted !== undefined) return;
    this.#stream.end(requestTrailers(this.#request.rawTrailers));
    this.#told.sent();
  }
}
