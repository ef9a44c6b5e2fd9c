import type { Clock } from "@bowline/core";

import { SimStatusError } from "../../store/sim-status-error.ts";
import { DueHeap } from "./due-heap.ts";

/** Brings whatever a key names to its desired state. It runs to its end at once: the store answers without waiting. */
export type Reconcile = (key: string) => void;

export interface WorkLoopOptions {
  readonly clock: Clock;
  /**
   * Told of an error that is no answer of the API server: a controller tripped over an object it did not expect. One
   * such object must not take the cluster along, so its key is tried again later and all others go on.
   */
  readonly onError?: ((error: unknown, queue: string, key: string) => void) | undefined;
}

export interface WorkQueue {
  /** Queues a key; a key that already waits is not queued twice. */
  add(key: string): void;
  /** Queues a key later; of several delays the one that ends first counts. */
  addAfter(key: string, delayMs: number): void;
}

interface Task {
  readonly queue: Queue;
  readonly key: string;
}

/** How long the loop works before it lets sockets and timers have a turn. */
const sliceMs = 10;
const firstRetryMs = 5;
const lastRetryMs = 1_000_000;

/**
 * One line of keys for all controllers of a cluster: events put keys in, and they are reconciled one after another in
 * the order they came. Nothing polls; what has to happen later waits in one heap behind one timer.
 */
export class WorkLoop {
  readonly clock: Clock;
  readonly #onError: WorkLoopOptions["onError"];
  readonly #delayed = new DueHeap<Task>();
  #tasks: Task[] = [];
  #nextTask = 0;
  #turn: NodeJS.Immediate | undefined;
  #timer: { readonly dueMs: number; readonly cancel: () => void } | undefined;
  #waiters: (() => void)[] = [];
  #stopped = false;

  constructor(options: WorkLoopOptions) {
    this.clock = options.clock;
    this.#onError = options.onError;
  }

  queue(name: string, reconcile: Reconcile): WorkQueue {
    return new Queue(name, reconcile, {
      push: (task) => this.#push(task),
      delay: (task, delayMs) => this.#delay(task, delayMs),
      nowMs: () => this.clock.monotonicMs(),
    });
  }

  /** Resolves when no key waits. What is due later does not count. */
  settled(): Promise<void> {
    if (this.#isIdle()) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiters.push(resolve);
    });
  }

  stop(): void {
    this.#stopped = true;
    this.#tasks = [];
    this.#nextTask = 0;
    this.#delayed.clear();
    clearImmediate(this.#turn);
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#release();
  }

  #push(task: Task): void {
    if (this.#stopped) return;
    this.#tasks.push(task);
    this.#turn ??= setImmediate(() => this.#takeTurn());
  }

  #delay(task: Task, delayMs: number): void {
    if (this.#stopped) return;
    const dueMs = this.clock.monotonicMs() + delayMs;
    this.#delayed.push(dueMs, task);
    if (this.#timer === undefined || dueMs < this.#timer.dueMs) this.#arm();
  }

  #arm(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    const dueMs = this.#delayed.nextDueMs;
    if (dueMs === undefined || this.#stopped) return;
    const cancel = this.clock.after(Math.max(0, dueMs - this.clock.monotonicMs()), () => this.#wake());
    this.#timer = { dueMs, cancel };
  }

  /** Works at once, not in a later turn, so that a clock moved by hand finds everything done at its own time. */
  #wake(): void {
    this.#timer = undefined;
    const nowMs = this.clock.monotonicMs();
    for (let task = this.#delayed.popDue(nowMs); task !== undefined; task = this.#delayed.popDue(nowMs)) {
      task.queue.becomeDue(task.key);
    }
    this.#arm();
    this.#takeTurn();
  }

  #takeTurn(): void {
    clearImmediate(this.#turn);
    this.#turn = undefined;
    const untilMs = this.clock.monotonicMs() + sliceMs;
    for (let task = this.#tasks[this.#nextTask]; task !== undefined; task = this.#tasks[this.#nextTask]) {
      this.#nextTask += 1;
      this.#run(task);
      if (this.clock.monotonicMs() >= untilMs) break;
    }
    this.#compact();
    if (!this.#isIdle()) this.#turn ??= setImmediate(() => this.#takeTurn());
    else {
      clearImmediate(this.#turn);
      this.#turn = undefined;
      this.#release();
    }
  }

  #run(task: Task): void {
    try {
      task.queue.reconcile(task.key);
    } catch (error) {
      task.queue.retry(task.key);
      if (!(error instanceof SimStatusError)) this.#onError?.(error, task.queue.name, task.key);
    }
  }

  #compact(): void {
    if (this.#nextTask === this.#tasks.length) this.#tasks = [];
    else if (this.#nextTask > 1024) this.#tasks = this.#tasks.slice(this.#nextTask);
    else return;
    this.#nextTask = 0;
  }

  #isIdle(): boolean {
    return this.#nextTask === this.#tasks.length;
  }

  #release(): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const resolve of waiters) resolve();
  }
}

interface QueueRim {
  push(task: Task): void;
  delay(task: Task, delayMs: number): void;
  nowMs(): number;
}

class Queue implements WorkQueue {
  readonly name: string;
  readonly #reconcile: Reconcile;
  readonly #rim: QueueRim;
  readonly #waiting = new Set<string>();
  readonly #dueMs = new Map<string, number>();
  readonly #failures = new Map<string, number>();

  constructor(name: string, reconcile: Reconcile, rim: QueueRim) {
    this.name = name;
    this.#reconcile = reconcile;
    this.#rim = rim;
  }

  add(key: string): void {
    if (this.#waiting.has(key)) return;
    this.#waiting.add(key);
    this.#rim.push({ queue: this, key });
  }

  addAfter(key: string, delayMs: number): void {
    if (delayMs <= 0) {
      this.add(key);
      return;
    }
    const dueMs = this.#rim.nowMs() + delayMs;
    const earlierMs = this.#dueMs.get(key);
    if (earlierMs !== undefined && earlierMs <= dueMs) return;
    this.#dueMs.set(key, dueMs);
    this.#rim.delay({ queue: this, key }, delayMs);
  }

  /** A delay ended. One that an earlier delay overtook has nothing left to do. */
  becomeDue(key: string): void {
    const dueMs = this.#dueMs.get(key);
    if (dueMs === undefined || dueMs > this.#rim.nowMs()) return;
    this.#dueMs.delete(key);
    this.add(key);
  }

  reconcile(key: string): void {
    this.#waiting.delete(key);
    this.#reconcile(key);
    this.#failures.delete(key);
  }

  retry(key: string): void {
    const failures = this.#failures.get(key) ?? 0;
    this.#failures.set(key, failures + 1);
    this.addAfter(key, Math.min(firstRetryMs * 2 ** failures, lastRetryMs));
  }
}
