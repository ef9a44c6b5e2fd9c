import { BowlineError } from "./bowline-error.ts";

export interface GateOptions {
  /** How many may work at once. */
  readonly concurrency: number;
  /** How many may wait for that; more are turned away. */
  readonly maxWaiting: number;
}

/** Lets a few work at once, so that a flood of unknown tokens cannot take the database from everybody else. */
export class Gate {
  readonly #options: GateOptions;
  readonly #waiting: (() => void)[] = [];
  #working = 0;

  constructor(options: GateOptions) {
    this.#options = options;
  }

  /** `ServerUnavailable` when too many wait already. */
  async pass<T>(work: () => Promise<T>): Promise<T> {
    if (this.#working < this.#options.concurrency) this.#working += 1;
    else await this.#turn();
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#working -= 1;
      else next();
    }
  }

  async #turn(): Promise<void> {
    if (this.#waiting.length >= this.#options.maxWaiting) {
      throw new BowlineError(
        "ServerUnavailable",
        "Too many sign-ins are being checked; try again in a moment.",
      );
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    await promise;
  }
}
