import { BowlineError, LinkedAbortController, type Clock, type Random } from "@bowline/core";
import { WorkQueue, type Delivery, type DeliverySource } from "@bowline/runtime";

import type { BrokerMessage } from "./broker.ts";

export interface InProcessQueueOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly ackWaitMs: number;
  readonly offerRoom: number;
}

/** What is known about a key from its first message until it is settled. */
interface Letter {
  generation: number;
  attempt: number;
  /** It was sent again while somebody had it. */
  isNewer: boolean;
  /** Counts hand-outs: whoever answers for an older one is too late. */
  handOut: number;
  /** When its taker last gave a sign of life. */
  signMs: number;
}

/** The keys of one kind. The queue of the runtime keeps their order, delays and who has one; this keeps the promises. */
export class InProcessQueue implements DeliverySource {
  readonly ackWaitMs: number;
  readonly #clock: Clock;
  readonly #offerRoom: number;
  readonly #queue: WorkQueue;
  readonly #letters = new Map<string, Letter>();
  readonly #held = new Set<string>();
  #taken = Promise.withResolvers<void>();
  #cancelWatch: (() => void) | undefined;
  #isClosed = false;

  constructor({ clock, random, ackWaitMs, offerRoom }: InProcessQueueOptions) {
    this.ackWaitMs = ackWaitMs;
    this.#clock = clock;
    this.#offerRoom = offerRoom;
    this.#queue = new WorkQueue({ clock, random });
  }

  publish({ key, generation }: BrokerMessage): void {
    const letter = this.#letters.get(key);
    if (letter === undefined) this.#letters.set(key, newLetter(generation));
    else {
      letter.generation = Math.max(letter.generation, generation);
      letter.isNewer = this.#held.has(key);
    }
    this.#queue.add(key);
  }

  /** Behind all that was published. False when it has the key already. */
  async offer({ key, generation }: BrokerMessage, signal: AbortSignal): Promise<boolean> {
    while (!this.#letters.has(key)) {
      if (this.#queue.state().ready < this.#offerRoom) {
        this.#letters.set(key, newLetter(generation));
        this.#queue.add(key, { priority: "low" });
        return true;
      }
      await this.#room(signal);
    }
    return false;
  }

  async take(max: number, signal: AbortSignal): Promise<readonly Delivery[]> {
    const first = await this.#queue.take(signal);
    if (first === undefined) {
      signal.throwIfAborted();
      throw closed();
    }
    return [first, ...(await this.#takeReady(max - 1))].map((key) => this.#handOut(key));
  }

  close(): void {
    this.#isClosed = true;
    void this.#queue.shutDown("drop");
    this.#letters.clear();
    this.#cancelWatch?.();
    this.#cancelWatch = undefined;
    this.#taken.resolve();
  }

  /** What can be had without waiting. */
  async #takeReady(max: number): Promise<string[]> {
    const count = Math.min(max, this.#queue.state().ready);
    const keys = await Promise.all(Array.from({ length: count }, () => this.#queue.take()));
    return keys.filter((key) => key !== undefined);
  }

  #handOut(key: string): Delivery {
    const letter = this.#letters.get(key) ?? newLetter(0);
    letter.handOut += 1;
    letter.isNewer = false;
    letter.signMs = this.#clock.monotonicMs();
    this.#held.add(key);
    this.#cancelWatch ??= this.#armWatch();
    this.#taken.resolve();
    this.#taken = Promise.withResolvers();
    return this.#delivery(key, letter);
  }

  #delivery(key: string, letter: Letter): Delivery {
    const { generation, attempt, handOut } = letter;
    const settle = (then: () => void): void => {
      if (letter.handOut !== handOut || !this.#held.delete(key)) return;
      then();
      this.#queue.done(key);
    };
    const finish = (): void => {
      // What was sent meanwhile is in line already, and starts from the beginning.
      if (letter.isNewer) letter.attempt = 1;
      else this.#letters.delete(key);
    };
    return {
      key,
      generation,
      attempt,
      ack: () => settle(finish),
      deadLetter: () => settle(finish),
      retry: (delayMs, nextAttempt) =>
        settle(() => {
          letter.attempt = nextAttempt;
          this.#queue.addAfter(key, delayMs);
        }),
      inProgress: () => {
        if (letter.handOut === handOut) letter.signMs = this.#clock.monotonicMs();
      },
    };
  }

  /** One timer for all that is held: a vanished taker is noticed after its time and half of it again at most. */
  #armWatch(): () => void {
    return this.#clock.after(this.ackWaitMs / 2, () => {
      const oldestMs = this.#clock.monotonicMs() - this.ackWaitMs;
      for (const key of this.#held) {
        const letter = this.#letters.get(key);
        if (letter !== undefined && letter.signMs <= oldestMs) this.#takeBack(key, letter);
      }
      this.#cancelWatch = this.#held.size === 0 ? undefined : this.#armWatch();
    });
  }

  #takeBack(key: string, letter: Letter): void {
    letter.handOut += 1;
    this.#held.delete(key);
    this.#queue.add(key);
    this.#queue.done(key);
  }

  /** Resolves when something was taken. */
  async #room(signal: AbortSignal): Promise<void> {
    using wait = new LinkedAbortController(signal);
    const aborted = Promise.withResolvers<void>();
    wait.signal.addEventListener("abort", () => aborted.resolve(), { once: true });
    if (!wait.signal.aborted) await Promise.race([this.#taken.promise, aborted.promise]);
    signal.throwIfAborted();
    if (this.#isClosed) throw closed();
  }
}

function closed(): BowlineError {
  return new BowlineError("BrokerUnavailable", "The broker has been closed.");
}

function newLetter(generation: number): Letter {
  return { generation, attempt: 1, isNewer: false, handOut: 0, signMs: 0 };
}
