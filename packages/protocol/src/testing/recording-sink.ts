import { ManualClock } from "@bowline/core/testing";
import type { MessageInitShape } from "@bufbuild/protobuf";

import type { FrameSchema } from "../gen/bowline/agent/v1/tunnel_pb.ts";
import type { OpenBody, ResetBody } from "../tunnel/body-codec.ts";
import { FrameDecoder, type FrameSink } from "../tunnel/frame-decoder.ts";
import type { AnswerHead, HeaderList } from "../tunnel/http-head.ts";
import { TunnelConnection } from "../tunnel/tunnel-connection.ts";
import type { TunnelConnectionOptions } from "../tunnel/tunnel-options.ts";
import { frameBytes } from "./frame-samples.ts";
import { ManualChannel } from "./manual-link.ts";

export type SinkEvent =
  | { readonly kind: "open"; readonly stream: number; readonly body: OpenBody }
  | { readonly kind: "headers"; readonly stream: number; readonly head: AnswerHead }
  | { readonly kind: "data"; readonly stream: number; readonly hex: string }
  | { readonly kind: "window"; readonly stream: number; readonly bytes: number }
  | { readonly kind: "end"; readonly stream: number; readonly trailers: HeaderList }
  | { readonly kind: "reset"; readonly stream: number; readonly body: ResetBody }
  | { readonly kind: "ping" | "pong"; readonly value: number }
  | { readonly kind: "drain"; readonly reason: string }
  | { readonly kind: "malformed"; readonly stream: number; readonly error: unknown };

/** Writes down what a decoder finds; the pieces of DATA that follow each other on a stream become one. */
export class RecordingSink implements FrameSink {
  readonly events: SinkEvent[] = [];

  open(stream: number, body: OpenBody): void {
    this.events.push({ kind: "open", stream, body });
  }

  headers(stream: number, head: AnswerHead): void {
    this.events.push({ kind: "headers", stream, head });
  }

  data(stream: number, piece: Buffer): void {
    const last = this.events.at(-1);
    const joins = last?.kind === "data" && last.stream === stream;
    if (joins) this.events.pop();
    this.events.push({ kind: "data", stream, hex: (joins ? last.hex : "") + piece.toString("hex") });
  }

  window(stream: number, bytes: number): void {
    this.events.push({ kind: "window", stream, bytes });
  }

  end(stream: number, trailers: HeaderList): void {
    this.events.push({ kind: "end", stream, trailers });
  }

  reset(stream: number, body: ResetBody): void {
    this.events.push({ kind: "reset", stream, body });
  }

  ping(value: number): void {
    this.events.push({ kind: "ping", value });
  }

  pong(value: number): void {
    this.events.push({ kind: "pong", value });
  }

  drain(reason: string): void {
    this.events.push({ kind: "drain", reason });
  }

  malformed(stream: number, error: unknown): void {
    this.events.push({ kind: "malformed", stream, error });
  }
}

/** A peer that keeps to no rule: it sends whatever frames or bytes the test wants to a real tunnel. */
export class RawPeer {
  readonly clock = new ManualClock();
  readonly tunnel: TunnelConnection;
  readonly #channel = new ManualChannel();
  readonly #sink = new RecordingSink();
  readonly #deferred: Array<() => void> = [];

  constructor(options: Omit<TunnelConnectionOptions, "clock" | "defer">) {
    const mine = new ManualChannel();
    this.#channel.peer = mine;
    const decoder = new FrameDecoder(this.#sink);
    mine.start({ data: (chunk) => decoder.push(chunk), closed: () => {} });
    this.tunnel = new TunnelConnection(this.#channel, {
      ...options,
      clock: this.clock,
      defer: (run) => void this.#deferred.push(run),
    });
  }

  send(...frames: Array<MessageInitShape<typeof FrameSchema>>): void {
    this.sendBytes(Buffer.concat(frames.map(frameBytes)));
  }

  sendBytes(bytes: Buffer): void {
    this.#channel.inject(bytes);
  }

  /** Takes what the tunnel has sent so far, but for the pings it sends of its own. */
  read(): SinkEvent[] {
    for (const run of this.#deferred.splice(0)) run();
    while (this.#channel.deliver());
    return this.#sink.events.splice(0).filter(({ kind }) => kind !== "ping");
  }
}
