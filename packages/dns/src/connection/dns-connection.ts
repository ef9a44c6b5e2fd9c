import {
  BowlineError,
  connectionFailure,
  Gate,
  hasCode,
  withDeadline,
  type Address,
  type Clock,
  type ConnectionFailure,
} from "@bowline/core";

import { ConnectionEnded, MessageSocket } from "./message-socket.ts";

export interface DnsConnectionOptions {
  readonly address: Address;
  /** The address as it was written, for messages. */
  readonly server: string;
  readonly clock: Clock;
  /** For one question and its answer, the connection to the server included. */
  readonly limitMs: number;
  /** It is closed when nothing was asked for so long: less than servers wait, which is 30 seconds for BIND. */
  readonly idleMs: number;
}

const mostWaiting = 1_000;

/** The way to one server: a connection that is there while it is used, for one request at a time. */
export class DnsConnection implements AsyncDisposable {
  readonly #options: DnsConnectionOptions;
  readonly #turns: Gate;
  #socket: MessageSocket | undefined;
  #cancelEnd = (): void => {};
  #isClosed = false;

  constructor(options: DnsConnectionOptions) {
    this.#options = options;
    const refusal = `More than ${mostWaiting} requests wait for the DNS server ${options.server}.`;
    this.#turns = new Gate({ concurrency: 1, maxWaiting: mostWaiting, refusal });
  }

  /** The answer to a message. Whoever asks has to be able to ask twice: a kept connection may have ended unnoticed. */
  exchange(message: Buffer, signal: AbortSignal): Promise<Buffer> {
    const { clock } = this.#options;
    // Whoever gives up while others are asked does not wait for them.
    const turn = (): Promise<Buffer> => this.#turns.pass(() => this.#takeTurn(message, signal));
    return withDeadline(turn, {
      clock,
      limitMs: Infinity,
      signal,
      onTimeout: () => this.#errorOf(undefined, signal),
    });
  }

  async #takeTurn(message: Buffer, signal: AbortSignal): Promise<Buffer> {
    if (this.#isClosed) throw new BowlineError("Cancelled", "The writer of DNS records was closed.");
    const { clock, limitMs, server, idleMs } = this.#options;
    this.#cancelEnd();
    try {
      return await withDeadline((signal) => this.#ask(message, signal), {
        clock,
        limitMs,
        signal,
        onTimeout: () =>
          new BowlineError("Timeout", `The DNS server ${server} did not answer within ${limitMs / 1_000} s.`),
      });
    } catch (error) {
      throw this.#errorOf(error, signal);
    } finally {
      if (!this.#isClosed) this.#cancelEnd = clock.after(idleMs, () => void this.end());
    }
  }

  /** The next request begins with a new connection. */
  async end(): Promise<void> {
    const socket = this.#socket;
    this.#socket = undefined;
    await socket?.[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    this.#cancelEnd();
    await this.end();
  }

  async #ask(message: Buffer, signal: AbortSignal): Promise<Buffer> {
    const kept = this.#socket;
    if (kept?.isOpen === true) {
      try {
        return await kept.exchange(message, signal);
      } catch (error) {
        if (signal.aborted || !hasCode(error, "ECONNRESET", "EPIPE")) throw error;
        if (error instanceof ConnectionEnded && error.isInAnswer) throw error;
      }
    }
    const socket = await MessageSocket.connect(this.#options.address, signal);
    if (this.#isClosed) await socket[Symbol.asyncDispose]();
    this.#socket = socket;
    return socket.exchange(message, signal);
  }

  #errorOf(error: unknown, signal: AbortSignal): BowlineError {
    if (signal.aborted) return BowlineError.from(signal.reason);
    if (error instanceof BowlineError) return error;
    const { failure, errno } = connectionFailure(error);
    const { server } = this.#options;
    const says = failures[failure] ?? "cannot be reached";
    const message = `The DNS server ${server} ${says}${errno === "" ? "" : ` (${errno})`}.`;
    return new BowlineError("Unreachable", message, { cause: error, details: { server, errno } });
  }
}

const failures: Partial<Record<ConnectionFailure, string>> = {
  unresolved: "cannot be reached: its name is not known; check the address",
  refused:
    "cannot be reached: nothing listens there over TCP; check address and port, and that TCP is let through",
  silent: "does not answer; check the address, and that this machine may reach it over TCP",
  broken: "ended the connection before it had answered",
};
