interface Waiter {
  readonly resolve: (key: string | undefined) => void;
  readonly signal: AbortSignal | undefined;
  readonly onAbort: () => void;
}

/** The callers that wait for a key, the first come first. */
export class Waiters {
  readonly #waiting = new Set<Waiter>();

  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  /** Waits for a key; resolves to undefined when the signal aborts. */
  wait(signal: AbortSignal | undefined, onLeave: () => void): Promise<string | undefined> {
    return new Promise((resolve) => {
      const onAbort = (): void => {
        this.#end(waiter, undefined);
        onLeave();
      };
      const waiter: Waiter = { resolve, signal, onAbort };
      this.#waiting.add(waiter);
      signal?.addEventListener("abort", onAbort, { once: true });
    });
  }

  give(key: string): void {
    const [first] = this.#waiting;
    if (first !== undefined) this.#end(first, key);
  }

  #end(waiter: Waiter, key: string | undefined): void {
    this.#waiting.delete(waiter);
    waiter.signal?.removeEventListener("abort", waiter.onAbort);
    waiter.resolve(key);
  }
}
