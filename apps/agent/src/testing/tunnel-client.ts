import { duplexPair } from "node:stream";

import { systemClock, type BowlineError } from "@bowline/core";
import {
  duplexChannel,
  TunnelConnection,
  type AcceptStream,
  type AnswerHead,
  type HeaderList,
  type RequestHead,
  type StreamHandler,
  type TunnelStream,
} from "@bowline/protocol";
import { onTestFinished } from "vitest";

/** The server's end of a tunnel in memory, whose other end is the agent's. */
export function tunnelTo(accept: AcceptStream): TunnelClient {
  const [serverSide, agentSide] = duplexPair();
  const server = new TunnelConnection(duplexChannel(serverSide), { clock: systemClock });
  const agent = new TunnelConnection(duplexChannel(agentSide), { clock: systemClock, accept });
  onTestFinished(() => {
    server.close();
    agent.close();
  });
  return new TunnelClient(server);
}

/** Asks through a tunnel, and writes down the answers. */
export class TunnelClient {
  readonly tunnel: Pick<TunnelConnection, "open" | "close" | "streams">;

  constructor(tunnel: Pick<TunnelConnection, "open" | "close" | "streams">) {
    this.tunnel = tunnel;
  }

  open(head: Partial<RequestHead> = {}, hasBody = false): RecordedAnswer {
    const answer = new RecordedAnswer();
    const whole = { method: "GET", path: "/", headers: [], ...head };
    answer.stream = this.tunnel.open(whole, answer, { hasBody });
    return answer;
  }

  /** Sends everything and waits for everything. */
  async ask(head: Partial<RequestHead> = {}, body?: string): Promise<RecordedAnswer> {
    const answer = this.open(head, body !== undefined);
    if (body !== undefined) {
      answer.stream.write(Buffer.from(body));
      answer.stream.end();
    }
    await answer.ended;
    return answer;
  }
}

const never: TunnelStream = {
  id: 0,
  sendHeaders: () => {},
  write: () => true,
  end: () => {},
  resume: () => {},
  discard: () => {},
  reset: () => {},
};

export class RecordedAnswer implements StreamHandler {
  stream: TunnelStream = never;
  readonly interim: AnswerHead[] = [];
  readonly chunks: Buffer[] = [];
  trailers: HeaderList = [];
  /** Whether to take bytes as they come. */
  takes = true;
  drains = 0;
  readonly #head = Promise.withResolvers<AnswerHead>();
  readonly #ended = Promise.withResolvers<void>();
  #waiting: { readonly bytes: number; readonly resolve: () => void } | undefined;
  #receivedBytes = 0;

  constructor() {
    this.#head.promise.catch(() => {});
    this.#ended.promise.catch(() => {});
  }

  /** The final head; rejects when the stream fails before it. */
  get head(): Promise<AnswerHead> {
    return this.#head.promise;
  }

  /** The end of the answer; rejects with what the stream failed with. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  get status(): Promise<number> {
    return this.#head.promise.then(({ status }) => status);
  }

  get text(): string {
    return Buffer.concat(this.chunks).toString();
  }

  get receivedBytes(): number {
    return this.#receivedBytes;
  }

  /** Resolves when so many bytes of the body have come. */
  received(bytes: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    if (this.#receivedBytes >= bytes) resolve();
    else this.#waiting = { bytes, resolve };
    this.ended.catch(reject);
    return promise;
  }

  headers(head: AnswerHead): void {
    if (head.status < 200 && head.status !== 101) this.interim.push(head);
    else this.#head.resolve(head);
  }

  data(chunk: Buffer): boolean {
    this.chunks.push(chunk);
    this.#receivedBytes += chunk.length;
    if (this.#waiting !== undefined && this.#receivedBytes >= this.#waiting.bytes) this.#waiting.resolve();
    return this.takes;
  }

  end(trailers: HeaderList): void {
    this.trailers = trailers;
    this.#ended.resolve();
  }

  drain(): void {
    this.drains += 1;
  }

  error(error: BowlineError): void {
    this.#head.reject(error);
    this.#ended.reject(error);
  }
}
