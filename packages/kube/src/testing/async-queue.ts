/** Happenings in a test, to be awaited one by one. */
export class AsyncQueue<T> {
  readonly #items: T[] = [];
  readonly #waiting: ((item: T) => void)[] = [];

  push(item: T): void {
    const waiting = this.#waiting.shift();
    if (waiting === undefined) this.#items.push(item);
    else waiting(item);
  }

  next(): Promise<T> {
    const item = this.#items.shift();
    if (item !== undefined) return Promise.resolve(item);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  async take(count: number): Promise<T[]> {
    const taken: T[] = [];
    while (taken.length < count) taken.push(await this.next());
    return taken;
  }

  /** Items that have come and were not taken. */
  get pending(): readonly T[] {
    return this.#items;
  }
}

/** The error that a promise rejects with, observed from now on, so that it may reject before the test looks at it. */
export function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => new Error("It was expected to fail, and did not."),
    (thrown: unknown) => thrown,
  );
}
