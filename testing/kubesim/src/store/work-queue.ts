/**
 * Work that follows a write, done a moment later and in small batches, so that a request that sets off thousands of
 * deletions is answered at once. A key that is queued twice is worked on once.
 */
export class WorkQueue {
  readonly #pending = new Set<string>();
  readonly #work: (key: string) => void;
  #timer: NodeJS.Immediate | undefined;
  #stopped = false;

  constructor(work: (key: string) => void) {
    this.#work = work;
  }

  add(key: string): void {
    if (this.#stopped) return;
    this.#pending.add(key);
    this.#timer ??= setImmediate(() => this.#run());
  }

  stop(): void {
    this.#stopped = true;
    this.#pending.clear();
    if (this.#timer) clearImmediate(this.#timer);
    this.#timer = undefined;
  }

  #run(): void {
    this.#timer = undefined;
    let left = batchSize;
    for (const key of this.#pending) {
      this.#pending.delete(key);
      this.#work(key);
      left -= 1;
      if (left === 0) break;
    }
    if (this.#pending.size > 0 && !this.#stopped) this.#timer ??= setImmediate(() => this.#run());
  }
}

const batchSize = 500;
