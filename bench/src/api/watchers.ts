import { percentile } from "../median.ts";
import { nowMs, type LatencyMeasurement, type LatencyOrder, type WatchOrder } from "./measurement.ts";
import { getRequest } from "./requests.ts";
import { WatchStream } from "./watch-stream.ts";

/** What is not seen by then never will be. */
const seenLimitMs = 30_000;

/** Many watches of the same, and how late each sees what changes. */
export class Watchers {
  #streams: WatchStream[] = [];
  #latenciesMs: number[] = [];
  #missing = 0;
  #allSeen = Promise.withResolvers<void>();

  /** Resolves when all are sent what happens as it happens. */
  async open(order: WatchOrder, path: string): Promise<void> {
    const { port, watchers, resourceVersion } = order;
    const request = getRequest(order, `${path}?watch=true&resourceVersion=${resourceVersion}`);
    this.#streams = await Promise.all(
      Array.from({ length: watchers }, () => WatchStream.open(port, request)),
    );
  }

  expect({ changes, until }: LatencyOrder): void {
    this.#latenciesMs = [];
    this.#missing = changes * this.#streams.length;
    this.#allSeen = Promise.withResolvers();
    for (const stream of this.#streams) stream.follow(until, (sentAtMs) => this.#see(sentAtMs));
  }

  /** Resolves when every watcher has seen every change. */
  async latencies(): Promise<LatencyMeasurement> {
    const timer = setTimeout(() => {
      this.#allSeen.reject(new Error(`The watchers wait for ${this.#missing} changes`));
    }, seenLimitMs);
    try {
      await this.#allSeen.promise;
    } finally {
      clearTimeout(timer);
    }
    const p50Ms = percentile(this.#latenciesMs, 0.5);
    return { p50Ms, p99Ms: percentile(this.#latenciesMs, 0.99) };
  }

  close(): void {
    for (const stream of this.#streams.splice(0)) stream.close();
  }

  #see(sentAtMs: number): void {
    this.#latenciesMs.push(nowMs() - sentAtMs);
    this.#missing -= 1;
    if (this.#missing === 0) this.#allSeen.resolve();
  }
}
