import { BowlineError, withDeadline, type Clock } from "@bowline/core";
import { ReportTopic, type KnownObjects, type MessageCall, type ReportResponse } from "@bowline/protocol";

import type { ReportMessage } from "./report-item.ts";
import type { ReportQueue, Taken } from "./report-queue.ts";

export interface ReportSenderOptions {
  /** Default: workloads. */
  readonly topic?: ReportTopic;
  readonly queue: ReportQueue;
  readonly epoch: bigint;
  /** The agent, as in its hello. */
  readonly instance: string;
  readonly clock: Clock;
  readonly counts: ReportCounts;
  /** What the server knows from earlier epochs; told before anything is sent in this one. */
  readonly onKnown?: (objects: KnownObjects) => void;
}

/** What was sent so far, by all epochs. */
export interface ReportCounts {
  batches: number;
  items: number;
  /** Items that the server will never store. */
  refused: number;
  /** Events that the cluster forgot before there was room to send them. */
  dropped: number;
  /** Epochs that were begun. */
  epochs: number;
}

export function newReportCounts(): ReportCounts {
  return { batches: 0, items: 0, refused: 0, dropped: 0, epochs: 0 };
}

type ReportCall = MessageCall<ReportMessage, ReportResponse>;
type Ready = Extract<ReportResponse["message"], { readonly case: "ready" }>["value"];

interface Sent {
  readonly sequence: number;
  readonly taken: Taken;
}

/** How long the server may take to say where to go on. */
const readyLimitMs = 15_000;
/** Between two batches, unless the first one is full: short enough for people, long enough to gather. */
const gatherMs = 100;
/** A batch of this size leaves at once. */
const fullBytes = 256 * 1024;
/** As many as a batch has, whatever the server allows. */
const mostItems = 1_000;
const mostUnacknowledged = 64;

/**
 * Sends one epoch of observations, over one call after the other. Batches that are not acknowledged are kept, and go
 * on where the server says that it has got to.
 */
export class ReportSender {
  /** The server has said where to go on. */
  onReady = (): void => {};
  readonly #options: ReportSenderOptions;
  /** Sent and not acknowledged, in order. */
  #sent: Sent[] = [];
  #sequence = 0;
  #acknowledged = 0;
  #isBegun = false;
  #isCompleteStored = false;
  #limits = { maxItems: 1, maxUnacknowledged: 1 };
  #flushedMs = Number.NEGATIVE_INFINITY;
  #isEnding = false;
  #wake = (): void => {};
  #lastAckMs: number | undefined;
  #refusal = "";

  constructor(options: ReportSenderOptions) {
    this.#options = options;
    options.queue.onItems = () => this.#wake();
  }

  get epoch(): bigint {
    return this.#options.epoch;
  }

  get unacknowledged(): number {
    return this.#sent.length;
  }

  get acknowledged(): number {
    return this.#acknowledged;
  }

  /** When the server last said that something is stored; wall clock. */
  get lastAckMs(): number | undefined {
    return this.#lastAckMs;
  }

  /** Why the server refused an item, the last time. */
  get lastRefusal(): string {
    return this.#refusal;
  }

  /** Nothing waits, neither here nor on the way. */
  get isIdle(): boolean {
    return this.#sent.length === 0 && this.#options.queue.size === 0;
  }

  /**
   * Reports over one call until it ends. Rejects with what it failed with: `Expired` means that this epoch is over and
   * everything has to be observed anew.
   */
  async run(call: ReportCall): Promise<void> {
    const { epoch, instance, topic = ReportTopic.WORKLOADS } = this.#options;
    call.send({ message: { case: "begin", value: { epoch, instance, topic } } });
    this.#settle(await this.#ready(call));
    this.#isBegun = true;
    this.onReady();
    let isOver = false;
    const receiving = this.#receive(call).finally(() => {
      isOver = true;
      this.#wake();
    });
    // Told below, after the sending has noticed.
    receiving.catch(() => {});
    try {
      await this.#send(call, () => isOver);
    } finally {
      call.end();
    }
    await receiving;
  }

  /** Sends what is there, and then ends the call that is under way. */
  finish(): void {
    this.#isEnding = true;
    this.#wake();
  }

  async #ready(call: ReportCall): Promise<Ready> {
    const onTimeout = (): BowlineError =>
      new BowlineError("Timeout", "The server did not say in time where the report is to go on.");
    const limit = { clock: this.#options.clock, limitMs: readyLimitMs, onTimeout };
    try {
      for (;;) {
        const next = await withDeadline(() => call.messages.next(), limit);
        const message = next.done === true ? undefined : next.value.message;
        if (message?.case === "ready") return message.value;
        if (message?.case !== "known") {
          throw new BowlineError("ConnectionFailed", "The server ended the report before it began.");
        }
        this.#know(message.value.objects);
      }
    } catch (error) {
      const failure = BowlineError.from(error);
      call.fail(failure);
      throw failure;
    }
  }

  /** What it says once something was observed is behind that. */
  #know(objects: readonly KnownObjects[]): void {
    if (!this.#isBegun) for (const each of objects) this.#options.onKnown?.(each);
  }

  /** Compares what the server has with what it was sent. */
  #settle({ storedSequence, complete, maxItems, maxUnacknowledged }: Ready): void {
    const stored = Number(storedSequence);
    const isLost = stored < this.#acknowledged || (this.#isCompleteStored && !complete);
    if (isLost || stored > this.#sequence) {
      throw new BowlineError("Expired", "The server does not know the report that was under way any more.");
    }
    this.#acknowledge(stored, []);
    this.#options.queue.giveBack(this.#sent.map(({ taken }) => taken));
    this.#sent = [];
    this.#sequence = stored;
    this.#limits = {
      maxItems: Math.min(Math.max(1, maxItems), mostItems),
      maxUnacknowledged: Math.min(Math.max(1, maxUnacknowledged), mostUnacknowledged),
    };
  }

  async #receive(call: ReportCall): Promise<void> {
    for await (const { message } of call.messages) {
      if (message.case !== "ack") continue;
      const { sequence, refused } = message.value;
      this.#acknowledge(Number(sequence), refused);
      this.#wake();
    }
  }

  #acknowledge(sequence: number, refused: readonly { readonly reason: string }[]): void {
    this.#options.counts.refused += refused.length;
    this.#refusal = refused.at(-1)?.reason ?? this.#refusal;
    if (sequence > this.#acknowledged) this.#lastAckMs = this.#options.clock.now();
    this.#acknowledged = Math.max(this.#acknowledged, Math.min(sequence, this.#sequence));
    for (const { sequence: each, taken } of this.#sent) {
      if (each <= sequence && taken.kind === "complete") this.#isCompleteStored = true;
    }
    this.#sent = this.#sent.filter((sent) => sent.sequence > sequence);
  }

  async #send(call: ReportCall, isOver: () => boolean): Promise<void> {
    while (!isOver() && !(this.#isEnding && this.isIdle)) {
      const waitMs = this.#mayWaitMs();
      if (waitMs > 0) {
        await this.#pause(waitMs);
      } else {
        this.#sendNext(call);
        await call.drained();
      }
    }
  }

  /** How long until the next batch may leave; 0 for now. */
  #mayWaitMs(): number {
    const { queue, clock } = this.#options;
    if (queue.size === 0 || this.#sent.length >= this.#limits.maxUnacknowledged)
      return Number.POSITIVE_INFINITY;
    const isFull = queue.size >= this.#limits.maxItems || queue.bytes >= fullBytes;
    if (isFull || this.#isEnding) return 0;
    return Math.max(0, this.#flushedMs + gatherMs - clock.monotonicMs());
  }

  async #pause(ms: number): Promise<void> {
    const { clock } = this.#options;
    await new Promise<void>((resolve) => {
      const cancel = Number.isFinite(ms) ? clock.after(ms, resolve) : () => {};
      this.#wake = () => {
        cancel();
        resolve();
      };
    });
    this.#wake = () => {};
  }

  #sendNext(call: ReportCall): void {
    const { queue, clock, counts } = this.#options;
    const taken = queue.take({ maxItems: this.#limits.maxItems, maxBytes: fullBytes });
    if (taken === undefined) return;
    this.#flushedMs = clock.monotonicMs();
    this.#sequence += 1;
    const sequence = BigInt(this.#sequence);
    this.#sent.push({ sequence: this.#sequence, taken });
    counts.batches += 1;
    if (taken.kind === "complete") {
      call.send({ message: { case: "complete", value: { sequence } } });
      return;
    }
    counts.items += taken.items.length;
    const items = taken.items.map(({ item }) => item);
    call.send({ message: { case: "batch", value: { sequence, items } } });
  }
}
