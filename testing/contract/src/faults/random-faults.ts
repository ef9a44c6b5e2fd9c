import type { Clock, Random } from "@bowline/core";
import type { Fault, FaultMatch, Faults } from "@bowline/kubesim";

export interface RandomFaultsOptions {
  readonly faults: Faults;
  readonly random: Random;
  readonly clock: Clock;
  /** Meets the requests of the informers alone. */
  readonly match: FaultMatch;
  /** Called while a fault is in force: the world goes on. */
  readonly meanwhile: () => void;
}

/** Brings about one fault after the other, at random. */
export class RandomFaults {
  readonly #options: RandomFaultsOptions;
  /** How often each kind has struck. */
  readonly struck = new Map<string, number>();

  constructor(options: RandomFaultsOptions) {
    this.#options = options;
  }

  get total(): number {
    return this.struck.values().reduce((sum, count) => sum + count, 0);
  }

  async strike(): Promise<void> {
    const kinds = Object.entries(this.#kinds);
    const [name, strike] = kinds[Math.floor(this.#options.random() * kinds.length)] ?? kinds[0] ?? [];
    if (name === undefined || strike === undefined) return;
    this.struck.set(name, (this.struck.get(name) ?? 0) + 1);
    await strike();
  }

  readonly #kinds: Readonly<Record<string, () => Promise<void>>> = {
    dropped: () => this.#once((faults, match) => faults.dropWatches(match)),
    "cut in a line": () => this.#once((faults, match) => faults.cutLines(match)),
    compacted: () => this.#once((faults) => faults.compact()),
    "dropped and compacted": () =>
      this.#missed((faults, match) => faults.failRequests({ ...match, code: 503, times: 2 })),
    "expired as a status": () =>
      this.#after((faults, match) => faults.expireRequests({ ...match, times: 1 })),
    stalled: () => this.#during((faults, match) => faults.stallWatches(match), 20_000),
    frozen: () => this.#during((faults, match) => faults.freezeSockets({ ...match, verb: "watch" }), 70_000),
    "429": () =>
      this.#after((faults, match) =>
        faults.failRequests({ ...match, code: 429, retryAfterSeconds: 1, times: 2 }),
      ),
    "500": () => this.#after((faults, match) => faults.failRequests({ ...match, code: 500, times: 2 })),
    "503": () =>
      this.#after((faults, match) =>
        faults.failRequests({ ...match, code: 503, retryAfterSeconds: 2, times: 2 }),
      ),
    "a page of HTML": () =>
      this.#after((faults, match) => faults.answerHtml({ ...match, code: 502, times: 1 })),
    slow: () => this.#after((faults, match) => faults.slowRequests({ ...match, delayMs: 3000, times: 3 })),
    reset: () => this.#after((faults, match) => faults.resetConnections({ ...match, times: 2 })),
  };

  /** A fault of an instant. */
  async #once(strike: (faults: Faults, match: FaultMatch) => unknown): Promise<void> {
    const { faults, match } = this.#options;
    strike(faults, match);
    await this.#passes(2000);
  }

  /** A fault that waits for the next requests, which dropped watches soon send. */
  async #after(set: (faults: Faults, match: FaultMatch) => Fault): Promise<void> {
    const { faults, match } = this.#options;
    const fault = set(faults, match);
    faults.dropWatches(match);
    await this.#passes(5000);
    fault.remove();
  }

  /** Nobody is listening while things change, and when they listen again the history is gone. */
  async #missed(set: (faults: Faults, match: FaultMatch) => Fault): Promise<void> {
    const { faults, match } = this.#options;
    const fault = set(faults, match);
    faults.dropWatches(match);
    await this.#passes(1000);
    faults.compact();
    await this.#passes(4000);
    fault.remove();
  }

  /** A fault that lasts. */
  async #during(set: (faults: Faults, match: FaultMatch) => Fault, longestMs: number): Promise<void> {
    const { faults, match, random } = this.#options;
    const fault = set(faults, match);
    await this.#passes(longestMs * random());
    fault.remove();
  }

  async #passes(ms: number): Promise<void> {
    const { clock, meanwhile } = this.#options;
    meanwhile();
    await clock.sleep(ms / 2);
    meanwhile();
    await clock.sleep(ms / 2);
  }
}
