import type { EventRecord } from "@bowline/api";

import { nowMs } from "../api/measurement.ts";
import type { BenchmarkContext } from "../benchmark.ts";
import { percentile } from "../median.ts";
import type { ServerTarget } from "../tunnel/product-server.ts";
import { ApiWatch } from "./api-watch.ts";
import type { Fleet } from "./fleet.ts";
import { roundPrefix } from "./measure-apply.ts";
import { writtenAtMs, type EventsOrder } from "./sim-order.ts";

export interface EventLatency {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly count: number;
  /** The pace that was kept. */
  readonly keptPerSecond: number;
}

export const eventRates = [50, 500];
const secondsPerRate = 10;
/** What is not seen by then never will be. */
const seenLimitMs = 30_000;

/** From when a cluster has stored an event until a watcher of the API has it, with all clusters taking part. */
export async function measureEvents(
  fleet: Fleet,
  { rounds, progress, signal }: BenchmarkContext,
): Promise<EventLatency[]> {
  const measured: EventLatency[] = [];
  for (let round = 1; round <= rounds; round++) {
    for (const perSecond of eventRates) {
      signal.throwIfAborted();
      progress(`round ${round} of ${rounds}: ${perSecond} events/s`);
      const inClusters = <T>(command: string, order: object): Promise<T[]> =>
        fleet.inClusters<T>(command, order);
      const { server, simProcesses } = fleet;
      measured.push(
        await followEvents({ server, simProcesses, inClusters, prefix: roundPrefix(round) }, perSecond),
      );
    }
  }
  return measured;
}

export async function followEvents(
  { server, inClusters, simProcesses, prefix }: EventSource,
  perSecond: number,
): Promise<EventLatency> {
  const share = {
    prefix,
    perSecond: perSecond / simProcesses,
    count: (perSecond * secondsPerRate) / simProcesses,
  };
  using seen = await EventWatch.open(server.api, share.count * simProcesses);
  const paces = await inClusters<number>("events", share satisfies EventsOrder);
  const latenciesMs = await seen.all();
  return {
    perSecond,
    p50Ms: percentile(latenciesMs, 0.5),
    p99Ms: percentile(latenciesMs, 0.99),
    count: latenciesMs.length,
    keptPerSecond: paces.reduce((sum, pace) => sum + pace, 0),
  };
}

interface EventSource {
  readonly server: { readonly api: ServerTarget };
  readonly simProcesses: number;
  /** Of the names of pods. */
  readonly prefix: string;
  readonly inClusters: <T>(command: string, order: object) => Promise<T[]>;
}

/** Sees so many events that say when they were written. */
class EventWatch implements Disposable {
  readonly #latenciesMs: number[] = [];
  readonly #count: number;
  readonly #done = Promise.withResolvers<void>();
  #watch: ApiWatch<EventRecord> | undefined;

  static async open(api: ServerTarget, count: number): Promise<EventWatch> {
    const events = new EventWatch(count);
    events.#watch = await ApiWatch.open<EventRecord>(api, "/api/v1/events?watch=1", ({ object }) =>
      events.#see(object),
    );
    return events;
  }

  private constructor(count: number) {
    this.#count = count;
  }

  async all(): Promise<readonly number[]> {
    const limit = setTimeout(() => {
      this.#done.reject(new Error(`${this.#latenciesMs.length} of ${this.#count} events were seen`));
    }, seenLimitMs);
    try {
      await this.#done.promise;
    } finally {
      clearTimeout(limit);
    }
    return this.#latenciesMs;
  }

  [Symbol.dispose](): void {
    this.#watch?.[Symbol.dispose]();
  }

  #see(event: EventRecord | undefined): void {
    const writtenMs = event === undefined ? undefined : writtenAtMs(event.message);
    if (writtenMs === undefined) return;
    this.#latenciesMs.push(nowMs() - writtenMs);
    if (this.#latenciesMs.length === this.#count) this.#done.resolve();
  }
}
