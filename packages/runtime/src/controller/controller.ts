import { setImmediate as nextTurn } from "node:timers/promises";

import { BowlineError, LinkedAbortController, type ChildSpec } from "@bowline/core";

import type { QueueObserver } from "../queue/queue-observer.ts";
import { WorkQueue, type AddOptions } from "../queue/work-queue.ts";
import { controllerSettings, type ControllerOptions, type ControllerSettings } from "./controller-options.ts";
import type { ControllerState } from "./controller-state.ts";
import { DeliveryIntake } from "./delivery-intake.ts";
import { KeyWorker } from "./key-worker.ts";

export interface EnqueueOptions extends AddOptions {
  /** Not before this time has passed, unless somebody else wants it earlier. */
  readonly delayMs?: number;
}

/** For what takes no time in theory. */
const slackMs = 100;

/**
 * Works on keys: takes each from its queue, calls the reconciler, and decides from what that says when the key is looked
 * at again. Exactly `concurrency` workers do this. The states of a key are listed in the README.
 */
export class Controller {
  readonly name: string;
  readonly concurrency: number;
  readonly #settings: ControllerSettings;
  readonly #queue: WorkQueue;
  readonly #intake: DeliveryIntake | undefined;
  readonly #worker: KeyWorker;
  readonly #share = new EventLoopShare();
  #isRunning = false;

  constructor(options: ControllerOptions) {
    const settings = controllerSettings(options);
    const observer: QueueObserver = settings.metrics?.queueObserver(settings.name) ?? {};
    this.#settings = settings;
    this.name = settings.name;
    this.concurrency = settings.concurrency;
    this.#queue = new WorkQueue({ ...settings, observer });
    this.#intake = this.#createIntake();
    this.#worker = new KeyWorker({
      settings,
      queue: this.#queue,
      intake: this.#intake,
      onReturned: () => observer.retried?.(),
    });
    settings.metrics?.track(this);
  }

  /** The key has to be looked at. At any time, also before the controller runs. */
  enqueue(key: string, { delayMs = 0, ...options }: EnqueueOptions = {}): void {
    this.#queue.addAfter(key, delayMs, options);
  }

  /**
   * The key may have to be looked at: it is, behind all others, unless it has a turn to come or is being worked on.
   * Waits while `limit` keys are ready. Resolves to whether the key was new; rejects when the signal aborts.
   */
  async offer(key: string, limit: number, signal: AbortSignal): Promise<boolean> {
    if (!this.#queue.has(key)) await this.#queue.waitForCapacity(limit, signal);
    if (this.#queue.has(key)) return false;
    this.#queue.add(key, { priority: "low" });
    return true;
  }

  /**
   * Works until the signal aborts; then finishes what is under way, within `drainLimitMs`, and gives back the rest. When
   * `revoked` aborts it has lost the right to finish anything, and tells all to end at once. Rejects with
   * `ShutdownTimeout` when something did not end. May be called again afterwards: the queue keeps its keys.
   */
  async run(signal: AbortSignal, revoked?: AbortSignal): Promise<void> {
    if (this.#isRunning) {
      throw new BowlineError("InvalidArgument", `Controller "${this.name}" runs already.`);
    }
    using stop = new LinkedAbortController(signal);
    using hardStop = new LinkedAbortController(revoked);
    let cancelDrain = (): void => {};
    onAbort(stop.signal, () => {
      cancelDrain = this.#settings.clock.after(this.#settings.drainLimitMs, () => hardStop.abort());
    });
    onAbort(hardStop.signal, () => {
      stop.abort();
      this.#worker.interrupt();
    });
    this.#isRunning = true;
    try {
      await this.#runWorkers(stop, hardStop.signal);
    } finally {
      this.#isRunning = false;
      cancelDrain();
    }
    this.#throwIfLeftBehind();
  }

  /** The controller as a child of a supervisor. */
  asChild(): ChildSpec {
    return { name: this.name, run: (signal) => this.run(signal), stopLimitMs: this.stopLimitMs };
  }

  /** The longest that `run` may take to end. */
  get stopLimitMs(): number {
    const { drainLimitMs, abortGraceMs, leases, deliveries } = this.#settings;
    // A lease may just be asked for, and then has to be given back.
    const leaseMs = 2 * (leases?.ttlMs ?? 0);
    return drainLimitMs + abortGraceMs + leaseMs + (deliveries?.ackWaitMs ?? 0) + slackMs;
  }

  /** How it stands now. */
  state(): ControllerState {
    const { deadLetters } = this.#worker;
    const intake = this.#intake;
    return {
      name: this.name,
      isRunning: this.#isRunning,
      concurrency: this.concurrency,
      queue: this.#queue.state(),
      active: this.#worker.active(),
      retries: this.#worker.retries,
      failing: this.#queue.backoff.size,
      deadLetters: { total: deadLetters.total, recent: deadLetters.recent },
      ...(intake === undefined ? {} : { deliveries: { held: intake.held, error: intake.error } }),
    };
  }

  #createIntake(): DeliveryIntake | undefined {
    const { deliveries: source, clock, random, onError, concurrency, maxHeldDeliveries } = this.#settings;
    if (source === undefined) return undefined;
    return new DeliveryIntake({
      source,
      clock,
      random,
      maxHeld: maxHeldDeliveries ?? 2 * concurrency,
      onError: (error) => onError?.(error),
      accepts: (key) => !this.#worker.isStuck(key),
      enqueue: (key) => this.#queue.add(key),
    });
  }

  async #runWorkers(stop: AbortController, hardStop: AbortSignal): Promise<void> {
    const workers = Array.from({ length: this.concurrency }, () => this.#workUntil(stop.signal, hardStop));
    const parts = this.#intake === undefined ? workers : [...workers, this.#intake.run(stop.signal)];
    try {
      await Promise.all(parts);
    } catch (thrown) {
      // A fault of this package or of a callback that promised not to throw: end the others, and let it be seen.
      stop.abort();
      await Promise.allSettled(parts);
      throw thrown;
    } finally {
      await this.#intake?.returnAll();
    }
  }

  async #workUntil(stop: AbortSignal, hardStop: AbortSignal): Promise<void> {
    for (;;) {
      const key = await this.#queue.take(stop);
      if (key === undefined) return;
      await this.#worker.work(key, hardStop);
      const pause = this.#share.pause();
      if (pause !== undefined) await pause;
    }
  }

  #throwIfLeftBehind(): void {
    const keys = this.#worker.active().map(({ key }) => key);
    if (keys.length === 0) return;
    const some = keys.slice(0, 5).map((key) => `"${key}"`);
    const more = keys.length > some.length ? ` and ${keys.length - some.length} more` : "";
    const message = `Controller "${this.name}" left work behind that did not end: ${some.join(", ")}${more}.`;
    throw new BowlineError("ShutdownTimeout", message, { details: { controller: this.name, keys } });
  }
}

/** Calls back when the signal aborts, or at once when it has. For signals that live no longer than their listener. */
function onAbort(signal: AbortSignal, callback: () => void): void {
  if (signal.aborted) callback();
  else signal.addEventListener("abort", callback, { once: true });
}

/** Enough to make the turns cheap, few enough for sockets and timers to hardly notice. */
const keysPerTurn = 32;

/**
 * Keeps work that never waits, one settled promise after the other, from having the event loop to itself: sockets and
 * timers would have to wait until there is no more of it.
 */
class EventLoopShare {
  /** Keys worked on since the event loop last turned. */
  #keys = 0;

  /** Counts a key, and returns what to wait for if it is time to let others have a turn. */
  pause(): Promise<void> | undefined {
    if (this.#keys === 0) {
      setImmediate(() => {
        this.#keys = 0;
      });
    }
    this.#keys += 1;
    return this.#keys < keysPerTurn ? undefined : nextTurn();
  }
}
