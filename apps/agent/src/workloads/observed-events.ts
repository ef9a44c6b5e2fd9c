import type { BowlineError, Clock, Random } from "@bowline/core";
import type { KubeClient, KubeObject } from "@bowline/kube";

import type { Fetcher } from "../observe/fetcher.ts";
import type { ReportCounts } from "../report/report-sender.ts";
import { EventSighting, observedEvent, regardedBy } from "./event-sighting.ts";
import { EventWatch } from "./event-watch.ts";
import type { ObservationSink } from "./observation-sink.ts";
import type { Ownership } from "./ownership.ts";

export interface ObservedEventsOptions {
  readonly client: KubeClient;
  readonly ownership: Ownership;
  readonly sink: ObservationSink;
  readonly fetcher: Pick<Fetcher<EventSighting>, "add" | "delete">;
  readonly counts: ReportCounts;
  readonly onError: (error: BowlineError) => void;
  readonly clock: Clock;
  readonly random: Random;
}

/** The Events of the cluster, of which those about objects of Workloads are told. */
export class ObservedEvents {
  readonly #options: ObservedEventsOptions;
  #watch: EventWatch | undefined;

  constructor(options: ObservedEventsOptions) {
    this.#options = options;
  }

  /** Undefined before it has begun. */
  get watch(): EventWatch | undefined {
    return this.#watch;
  }

  /** Does nothing the second time. */
  begin(): void {
    if (this.#watch !== undefined) return;
    const { client, sink, fetcher, counts, onError, clock, random } = this.#options;
    this.#watch = new EventWatch({
      client,
      project: (event) => this.#sighting(event),
      seen: (sighting, before) => {
        if (before !== undefined) fetcher.delete(before);
        const report = sighting.takeReport();
        if (report !== undefined && !sink.event(report)) fetcher.add(sighting);
      },
      gone: (sighting) => {
        if (fetcher.delete(sighting)) counts.dropped += 1;
      },
      onError,
      clock,
      random,
    });
  }

  /** Tells the events about an object once more, which belongs to a Workload since just now. */
  tellAbout(uid: string): void {
    for (const event of this.#watch?.about(uid) ?? []) this.#options.fetcher.add(event);
  }

  /** Reads an event of which only the name was kept, and tells it. */
  async fetch(sighting: EventSighting, signal: AbortSignal): Promise<void> {
    const { ownership, sink, fetcher } = this.#options;
    const event = await this.#watch?.read(sighting, signal);
    if (event === undefined || event.metadata.uid !== sighting.uid) return;
    const regarded = regardedBy(event);
    const workload = ownership.workloadRegarding(regarded);
    if (workload === undefined || sink.event(observedEvent(event, regarded, workload))) return;
    fetcher.add(sighting);
  }

  /** Nothing of it can be told any more. */
  lost(): void {
    this.#options.counts.dropped += 1;
  }

  async stop(): Promise<void> {
    await this.#watch?.stop();
  }

  #sighting(event: KubeObject): EventSighting {
    const regarded = regardedBy(event);
    const workload = this.#options.ownership.workloadRegarding(regarded);
    const report = workload === undefined ? undefined : observedEvent(event, regarded, workload);
    return new EventSighting(event, regarded.uid, report);
  }
}
