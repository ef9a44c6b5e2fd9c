import { ManualClock } from "@bowline/core/testing";

import type { ByteChannel, ChannelReceiver } from "../tunnel/byte-channel.ts";
import type { RequestHead } from "../tunnel/http-head.ts";
import { TunnelConnection } from "../tunnel/tunnel-connection.ts";
import type { TunnelConnectionOptions } from "../tunnel/tunnel-options.ts";
import type { TunnelStream } from "../tunnel/tunnel-stream.ts";
import { RecordingHandler } from "./recording-handler.ts";

interface Written {
  chunk: Buffer;
  readonly done: () => void;
}

/** One end of a link in memory. Nothing moves until the test says so, and then in pieces of the size it says. */
export class ManualChannel implements ByteChannel {
  readonly #written: Written[] = [];
  #receiver: ChannelReceiver | undefined;
  #ended = false;
  #gone = false;
  peer: ManualChannel | undefined;
  /** Sees every byte that is written. */
  tap: ((bytes: Buffer) => void) | undefined;

  start(receiver: ChannelReceiver): void {
    this.#receiver = receiver;
  }

  write(chunks: readonly Buffer[], done: () => void): void {
    // The sender may not change a chunk after this, and the receiver gets memory of its own, as from a network.
    const chunk = Buffer.concat(chunks);
    this.tap?.(chunk);
    this.#written.push({ chunk, done });
  }

  end(): void {
    this.#ended = true;
  }

  destroy(error?: Error): void {
    this.vanish(error);
    this.peer?.vanish();
  }

  get gone(): boolean {
    return this.#gone;
  }

  /** How many writes wait to be delivered. */
  get writes(): number {
    return this.#written.length;
  }

  get pendingBytes(): number {
    return this.#written.reduce((sum, { chunk }) => sum + chunk.length, 0);
  }

  /** Injects bytes as if the other end had sent them. */
  inject(bytes: Buffer): void {
    if (!this.#gone) this.#receiver?.data(bytes);
  }

  /** Moves at most so many bytes to the other end, as one chunk; says whether anything happened. */
  deliver(maxBytes: number = Number.POSITIVE_INFINITY): boolean {
    const next = this.#written[0];
    if (next === undefined) {
      if (!this.#ended || this.#gone) return false;
      this.destroy();
      return true;
    }
    const piece = Buffer.from(next.chunk.subarray(0, maxBytes));
    next.chunk = next.chunk.subarray(piece.length);
    if (next.chunk.length === 0) this.#written.shift();
    this.peer?.inject(piece);
    if (next.chunk.length === 0) next.done();
    return true;
  }

  /** Moves so many bytes, in the chunks they were written in. */
  deliverBytes(bytes: number): void {
    for (let rest = bytes; rest > 0;) {
      const before = this.#written[0]?.chunk.length ?? 0;
      if (!this.deliver(rest)) return;
      rest -= Math.min(before, rest);
    }
  }

  /** The connection is gone as this end sees it. */
  vanish(error?: Error): void {
    if (this.#gone) return;
    this.#gone = true;
    this.#written.length = 0;
    this.#receiver?.closed(error);
  }
}

type Side = Omit<TunnelConnectionOptions, "clock" | "defer">;

/** Two tunnels, server's and agent's, joined in memory. Every run with the same steps is the same. */
export class ManualLink {
  readonly clock = new ManualClock();
  readonly serverChannel = new ManualChannel();
  readonly agentChannel = new ManualChannel();
  readonly server: TunnelConnection;
  readonly agent: TunnelConnection;
  readonly #deferred: Array<() => void> = [];

  constructor(server: Side, agent: Side & Required<Pick<Side, "accept">>) {
    this.serverChannel.peer = this.agentChannel;
    this.agentChannel.peer = this.serverChannel;
    const defer = (run: () => void): void => void this.#deferred.push(run);
    this.server = new TunnelConnection(this.serverChannel, { ...server, clock: this.clock, defer });
    this.agent = new TunnelConnection(this.agentChannel, { ...agent, clock: this.clock, defer });
  }

  /** Work that the tunnels have put off until the end of the turn. */
  runDeferred(): boolean {
    const runs = this.#deferred.splice(0);
    for (const run of runs) run();
    return runs.length > 0;
  }

  /** Lets everything happen that can happen without time passing. */
  settle(): void {
    for (let steps = 0; steps < 1_000_000; steps++) {
      const moved = [this.runDeferred(), this.serverChannel.deliver(), this.agentChannel.deliver()];
      if (!moved.includes(true)) return;
    }
    throw new Error("The two sides never come to rest.");
  }
}

interface AcceptedStream {
  readonly stream: TunnelStream;
  readonly head: RequestHead;
  readonly hasBody: boolean;
  readonly handler: RecordingHandler;
}

/** Both ends of one stream. */
export interface StreamPair extends AcceptedStream {
  readonly request: TunnelStream;
  readonly answer: RecordingHandler;
}

type SideOptions = Omit<TunnelConnectionOptions, "clock" | "accept" | "defer">;

/** A link whose agent accepts every stream and does nothing with it but to write down what happens. */
export class TunnelFixture {
  readonly accepted: AcceptedStream[] = [];
  readonly link: ManualLink;

  constructor({ server = {}, agent = {} }: { server?: SideOptions; agent?: SideOptions } = {}) {
    this.link = new ManualLink(server, {
      ...agent,
      accept: (stream, head, hasBody) => {
        const handler = new RecordingHandler();
        this.accepted.push({ stream, head, hasBody, handler });
        return handler;
      },
    });
  }

  open(head: Partial<RequestHead> = {}, hasBody = false): StreamPair {
    const answer = new RecordingHandler();
    const request = this.link.server.open({ method: "GET", path: "/", headers: [], ...head }, answer, {
      hasBody,
    });
    this.link.settle();
    const accepted = this.accepted.at(-1);
    if (accepted === undefined) throw new Error("The agent did not accept the stream.");
    return { ...accepted, request, answer };
  }
}
