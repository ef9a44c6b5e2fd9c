import type { IncomingMessage } from "node:http";

import type { TunnelStream } from "@bowline/protocol";

import { requestTrailers } from "../request/request-headers.ts";

/** How much is read of a request after it has been answered, so that the connection can be used again. */
const maxUnwantedBytes = 256 * 1024;

/** How much is kept of a body for another agent, should this one never begin the request. */
const maxKept = { bytes: 64 * 1024, chunks: 16 };

/** Listeners for how far the body is. */
export interface BodyProgress {
  readonly passed: (bytes: number) => void;
  readonly sent: () => void;
}

/**
 * Sends the body of a request on as it comes, no faster than the tunnel takes it. Until the request has begun in the
 * cluster, the beginning of the body is kept, so that one of the usual size can be sent once more to somebody else.
 */
export class RequestBody {
  readonly #request: IncomingMessage;
  #stream: TunnelStream;
  readonly #told: BodyProgress;
  #unwanted: number | undefined;
  #kept: Buffer[] | undefined = [];
  #hasEnded = false;
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

  /** Whether all that was sent could be sent once more. */
  get canMove(): boolean {
    return this.#kept !== undefined;
  }

  /** Nobody is there to take it until it is moved. */
  hold(): void {
    this.#request.pause();
  }

  /** Sends it from its beginning on another stream, which is the last one. */
  moveTo(stream: TunnelStream): void {
    const kept = this.#kept ?? [];
    this.#kept = undefined;
    this.#stream = stream;
    let hasRoom = true;
    for (const chunk of kept) hasRoom = stream.write(chunk);
    if (this.#hasEnded) this.#sendEnd();
    else if (hasRoom) this.#request.resume();
  }

  /** It has begun in the cluster, and will not be moved. */
  settle(): void {
    this.#kept = undefined;
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
    this.#keep(chunk);
    if (!this.#stream.write(chunk)) this.#request.pause();
  }

  #keep(chunk: Buffer): void {
    if (this.#kept === undefined) return;
    const isLittle = this.bytes <= maxKept.bytes && this.#kept.length < maxKept.chunks;
    if (isLittle) this.#kept.push(chunk);
    else this.#kept = undefined;
  }

  /** A client that does not stop has not understood; the connection is all that is left to be taken from it. */
  #discard(bytes: number): void {
    this.#unwanted = (this.#unwanted ?? 0) + bytes;
    if (this.#unwanted > maxUnwantedBytes) this.#request.destroy();
  }

  #end(): void {
    if (this.#unwanted !== undefined) return;
    this.#hasEnded = true;
    this.#sendEnd();
    this.#told.sent();
  }

  #sendEnd(): void {
    this.#stream.end(requestTrailers(this.#request.rawTrailers));
  }
}
