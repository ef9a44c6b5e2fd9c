import type { ByteChannel } from "./byte-channel.ts";
import { OutgoingBatch } from "./outgoing-batch.ts";
import type { TunnelLimits } from "./tunnel-options.ts";

/** Something with DATA or END to send. */
export interface Sender {
  /** Whether its turn will come. Nobody but the scheduler writes this. */
  isReady: boolean;
  /** Writes at most `quantumBytes` of DATA; says whether it could go on at once. */
  fill(batch: OutgoingBatch, quantumBytes: number): boolean;
  /** Called after `fill`, when the sender may be asked for more by its own side. */
  filled(): void;
}

interface SendSchedulerOptions {
  readonly channel: ByteChannel;
  readonly limits: Pick<TunnelLimits, "inFlightBytes" | "quantumBytes">;
  /** Runs what it is given once, soon: what is written until then goes out together. */
  readonly defer: (run: () => void) => void;
}

/**
 * Decides what goes out next: control frames in the order they were made, then one piece of each sender in turn. The
 * channel is given only so much at a time, so that what is decided late, such as a control frame, does not wait long.
 */
export class SendScheduler {
  /** Control frames are written here as they come. */
  readonly control = new OutgoingBatch();
  readonly #channel: ByteChannel;
  readonly #limits: SendSchedulerOptions["limits"];
  readonly #defer: SendSchedulerOptions["defer"];
  /** In the order of their turns. */
  readonly #ready: Sender[] = [];
  #inFlight = 0;
  #sentBytes = 0;
  #deferred = false;
  #closed = false;

  constructor({ channel, limits, defer }: SendSchedulerOptions) {
    this.#channel = channel;
    this.#limits = limits;
    this.#defer = defer;
  }

  /** How many bytes were given to the channel. */
  get sentBytes(): number {
    return this.#sentBytes;
  }

  ready(sender: Sender): void {
    this.#queue(sender);
    this.flushSoon();
  }

  flushSoon(): void {
    if (this.#deferred || this.#closed) return;
    this.#deferred = true;
    this.#defer(() => {
      this.#deferred = false;
      this.flush();
    });
  }

  flush(): void {
    while (!this.#closed && this.#inFlight < this.#limits.inFlightBytes) {
      const batch = this.control;
      const filled = this.#fill(batch);
      const { bytes } = batch;
      if (bytes === 0) return;
      this.#inFlight += bytes;
      this.#sentBytes += bytes;
      this.#channel.write(batch.take(), () => {
        this.#inFlight -= bytes;
        if (this.control.bytes > 0 || this.#ready.length > 0) this.flush();
      });
      for (const sender of filled) sender.filled();
    }
  }

  close(): void {
    this.#closed = true;
    this.#ready.length = 0;
    this.control.take();
  }

  #fill(batch: OutgoingBatch): Sender[] {
    const room = this.#limits.inFlightBytes - this.#inFlight;
    let turns = 0;
    // A sender that goes on is put at the end, where this loop meets it again after all others.
    for (const sender of this.#ready) {
      if (batch.bytes >= room) break;
      turns += 1;
      sender.isReady = false;
      if (sender.fill(batch, this.#limits.quantumBytes)) this.#queue(sender);
    }
    return this.#ready.splice(0, turns);
  }

  #queue(sender: Sender): void {
    if (sender.isReady) return;
    sender.isReady = true;
    this.#ready.push(sender);
  }
}
