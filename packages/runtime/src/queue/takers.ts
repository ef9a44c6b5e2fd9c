interface Taker {
  readonly resolve: (key: string | undefined) => void;
  readonly signal: AbortSignal | undefined;
  readonly onAbort: () => void;
}

/** Those who wait for a key, the first come first. */
export class Takers {
  readonly #waiting = new Set<Taker>();

  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  /** Waits for a key; resolves to undefined when there will be none, or when the signal aborts. */
  wait(signal: AbortSignal | undefined, onLeave: () => void): Promise<string | undefined> {
    return new Promise((resolve) => {
      const onAbort = (): void => {
        this.#end(taker, undefined);
        onLeave();
      };
      const taker: Taker = { resolve, signal, onAbort };
      this.#waiting.add(taker);
      signal?.addEventListener("abort", onAbort, { once: true });
    });
  }

  give(key: string): void {
    const [first] = this.#waiting;
    if (first !== undefined) this.#end(first, key);
  }

  /** Tells all of them that there is nothing more to wait for. */
  giveUp(): void {
    for (const taker of this.#waiting) this.#end(taker, undefined);
  }

  #end(taker: Taker, key: string | undefined): void {
    this.#waiting.delete(taker);
    taker.signal?.removeEventListener("abort", taker.onAbort);
    taker.resolve(key);
  }
}
