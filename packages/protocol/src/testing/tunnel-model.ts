import assert from "node:assert/strict";

import { initialWindowBytes } from "../tunnel/frame.ts";
import { FrameDecoder } from "../tunnel/frame-decoder.ts";
import type { HeaderList } from "../tunnel/http-head.ts";
import type { StreamHandler, TunnelStream } from "../tunnel/tunnel-stream.ts";
import { ManualLink, type ManualChannel } from "./manual-link.ts";
import { RecordingSink } from "./recording-sink.ts";

export type Side = "request" | "answer";

export type Operation =
  | { readonly do: "open"; readonly hasBody: boolean }
  | { readonly do: "write"; readonly stream: number; readonly side: Side; readonly bytes: number }
  | { readonly do: "end" | "reset" | "pause" | "resume"; readonly stream: number; readonly side: Side }
  | { readonly do: "deliver"; readonly side: Side; readonly bytes: number }
  | { readonly do: "run" }
  | { readonly do: "wait"; readonly ms: number };

/** The bytes of a direction follow a pattern, so that a lost, doubled or misplaced one is seen. */
const byteAt = (streamId: number, from: Side, offset: number): number =>
  (offset * 7 + (offset >> 8) + streamId * 31 + (from === "request" ? 0 : 101)) & 0xff;

/** One direction of a stream, as it should be. */
class Direction {
  readonly #id: number;
  readonly #from: Side;
  written = 0;
  received = 0;
  ended = false;
  endsSeen = 0;
  paused = false;
  /** After this side's reader was told an error, or reset the stream itself, it hears nothing more. */
  deaf = false;

  constructor(id: number, from: Side) {
    this.#id = id;
    this.#from = from;
  }

  next(bytes: number): Buffer {
    const start = this.written;
    this.written += bytes;
    const chunk = Buffer.alloc(bytes);
    for (let index = 0; index < bytes; index++) chunk[index] = byteAt(this.#id, this.#from, start + index);
    return chunk;
  }

  receive(chunk: Buffer): void {
    assert.equal(this.deaf, false);
    assert.equal(this.endsSeen, 0);
    for (let index = 0; index < chunk.length; index++) {
      if (chunk[index] !== byteAt(this.#id, this.#from, this.received + index)) {
        throw new Error(`byte ${this.received + index} of stream ${this.#id} is wrong`);
      }
    }
    this.received += chunk.length;
    assert.ok(this.received <= this.written);
  }

  receiveEnd(): void {
    assert.equal(this.deaf, false);
    assert.equal(this.ended, true);
    assert.equal(this.received, this.written);
    assert.equal(++this.endsSeen, 1);
  }
}

/** Watches the wire: nobody may send more DATA than the other side has granted. */
class Ledger extends RecordingSink {
  readonly sent = new Map<number, number>();
  readonly granted = new Map<number, number>();
  other: Ledger | undefined;

  override data(id: number, piece: Buffer): void {
    const sent = (this.sent.get(id) ?? 0) + piece.length;
    this.sent.set(id, sent);
    assert.ok(sent <= initialWindowBytes + (this.other?.granted.get(id) ?? 0), "more DATA than was granted");
  }

  override window(id: number, bytes: number): void {
    this.granted.set(id, (this.granted.get(id) ?? 0) + bytes);
  }

  static watch(channel: ManualChannel): Ledger {
    const ledger = new Ledger();
    const decoder = new FrameDecoder(ledger);
    channel.tap = (bytes) => decoder.push(bytes);
    return ledger;
  }
}

class ModelStream {
  readonly id: number;
  readonly request: Direction;
  readonly answer: Direction;
  readonly ends: Partial<Record<Side, TunnelStream>> = {};
  reset = false;

  constructor(id: number) {
    this.id = id;
    this.request = new Direction(id, "request");
    this.answer = new Direction(id, "answer");
  }

  /** The handler of the side that reads the direction `reads`. */
  handler(reads: Side): StreamHandler {
    const direction = this[reads];
    return {
      headers: () => assert.equal(direction.deaf, false),
      data: (chunk) => {
        direction.receive(chunk);
        return !direction.paused;
      },
      end: (_trailers: HeaderList) => direction.receiveEnd(),
      error: () => {
        assert.equal(this.reset, true);
        assert.equal(direction.deaf, false);
        direction.deaf = true;
      },
    };
  }
}

/**
 * Two tunnels and what ought to come out of them. It fails as soon as anything arrives that should not; what should
 * have arrived is looked at in the end.
 */
export class TunnelModel {
  readonly streams: ModelStream[] = [];
  readonly link: ManualLink;

  constructor() {
    this.link = new ManualLink(
      { limits: { inFlightBytes: 50_000, quantumBytes: 8000, sendBufferBytes: 20_000 } },
      {
        limits: { inFlightBytes: 50_000, quantumBytes: 8000, sendBufferBytes: 20_000 },
        accept: (accepted) => {
          const model = this.streams.find(({ id }) => id === accepted.id);
          if (model === undefined) throw new Error("a stream that nobody opened");
          model.ends.answer = accepted;
          accepted.sendHeaders({ status: 200, headers: [] });
          return model.handler("request");
        },
      },
    );
    const [fromServer, fromAgent] = [this.link.serverChannel, this.link.agentChannel].map((channel) =>
      Ledger.watch(channel),
    );
    if (fromServer !== undefined) fromServer.other = fromAgent;
    if (fromAgent !== undefined) fromAgent.other = fromServer;
  }

  async apply(step: Operation): Promise<void> {
    if (step.do === "open") return this.#open(step.hasBody);
    if (step.do === "run") return void this.link.runDeferred();
    if (step.do === "wait") return this.link.clock.advance(step.ms);
    const { serverChannel, agentChannel } = this.link;
    if (step.do === "deliver") {
      (step.side === "request" ? serverChannel : agentChannel).deliver(step.bytes);
      return;
    }
    const model = this.streams[step.stream];
    if (model === undefined) return;
    if (step.do === "write") return this.#write(model, step.side, step.bytes);
    if (step.do === "end") return this.#end(model, step.side);
    if (step.do === "reset") return this.#reset(model, step.side);
    this.#pause(model, step.side, step.do === "pause");
  }

  /** Lets all readers read and all writers finish; then everything must have arrived. */
  finish(): void {
    for (const model of this.streams) {
      for (const reads of ["request", "answer"] as const) this.#pause(model, reads, false);
    }
    this.link.settle();
    for (const model of this.streams) {
      for (const from of ["request", "answer"] as const) this.#end(model, from);
    }
    this.link.settle();
  }

  #open(hasBody: boolean): void {
    const model = new ModelStream(this.streams.length + 1);
    this.streams.push(model);
    if (!hasBody) model.request.ended = true;
    const head = { method: "POST", path: "/", headers: [] };
    model.ends.request = this.link.server.open(head, model.handler("answer"), { hasBody });
  }

  #write(model: ModelStream, from: Side, bytes: number): void {
    const end = model.ends[from];
    if (end === undefined || model[from].ended || model.reset) return;
    end.write(model[from].next(bytes));
  }

  #end(model: ModelStream, from: Side): void {
    const end = model.ends[from];
    if (end === undefined || model[from].ended || model.reset) return;
    model[from].ended = true;
    end.end();
  }

  #reset(model: ModelStream, from: Side): void {
    const end = model.ends[from];
    if (end === undefined) return;
    model.reset = true;
    // The side that resets hears nothing more itself.
    model[from === "request" ? "answer" : "request"].deaf = true;
    end.reset("cancelled");
  }

  #pause(model: ModelStream, reads: Side, paused: boolean): void {
    model[reads].paused = paused;
    if (!paused) model.ends[reads === "request" ? "answer" : "request"]?.resume();
  }
}
