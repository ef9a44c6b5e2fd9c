import type { BowlineError, Clock, Logger, Random } from "@bowline/core";
import { resources, type KubeClient, type ResourceRef } from "@bowline/kube";

import { Fetcher } from "../observe/fetcher.ts";
import type { WatchProblem } from "../observe/kind-watch.ts";
import { kindKey, type KubeMessage } from "../observe/kube-message.ts";
import type { Router, Subscription, WatchState } from "../observe/router.ts";
import type { ReportQueue } from "../report/report-queue.ts";
import type { ReportCounts } from "../report/report-sender.ts";
import { EventSighting } from "./event-sighting.ts";
import { GoneOwners } from "./gone-owners.ts";
import { ObservationSink } from "./observation-sink.ts";
import { ObservedEvents } from "./observed-events.ts";
import { ObservedObjects } from "./observed-objects.ts";
import { Ownership, type OwnedObject } from "./ownership.ts";
import { nameKey, type NamedResource, type WatchedWorkload } from "./watched-workload.ts";
import { wantedKinds } from "./wanted-kinds.ts";
import { WatchProblems } from "./watch-problems.ts";
import { watchProblem, WorkloadsWatch, workloadsResource } from "./workloads-watch.ts";

export interface WorkloadObserverOptions {
  readonly client: KubeClient;
  readonly router: Router;
  readonly queue: ReportQueue;
  readonly counts: ReportCounts;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Ends it; then `stop` waits until nothing is open any more. */
  readonly signal: AbortSignal;
}

/** How often it is looked whether kinds can be watched, at the start and from then on. */
const attendEarlyMs = 250;
const attendMs = 5_000;

/**
 * Watches the Workloads of the cluster, what they name, what that owns, and the events about all of it, and puts what
 * it sees into the queue. One epoch long: to observe anew, make another one.
 */
export class WorkloadObserver {
  readonly #options: WorkloadObserverOptions;
  readonly #ownership: Ownership;
  readonly #fetcher: Fetcher<OwnedObject | EventSighting>;
  readonly #watches: Subscription;
  readonly #workloads: WorkloadsWatch;
  readonly #objects: ObservedObjects;
  readonly #events: ObservedEvents;
  readonly #problems: WatchProblems;
  readonly #attending: Promise<void>;
  #isReconciling = false;
  #isComplete = false;

  constructor(options: WorkloadObserverOptions) {
    const { router, queue, clock, logger, signal } = options;
    this.#options = options;
    const sink = new ObservationSink(queue, clock);
    const ownership = new Ownership(new GoneOwners(clock));
    const onError = (error: BowlineError): void => this.#tell(error);
    this.#ownership = ownership;
    this.#problems = new WatchProblems(sink, logger);
    this.#fetcher = this.#newFetcher();
    const fetcher = this.#fetcher;
    this.#events = new ObservedEvents({ ...options, ownership, sink, fetcher, onError });
    this.#objects = new ObservedObjects({
      ownership,
      sink,
      fetcher,
      watchOf: (key) => this.#watches.watchOf(key),
      tellEvents: (uid) => this.#events.tellAbout(uid),
    });
    queue.onRoom = () => fetcher.resume();
    this.#watches = router.subscribe({
      name: "workloads",
      // Only places and owners are kept of what there is no room for; it is fetched as it is needed.
      hasRoom: () => true,
      accept: (message) => this.#accept(message),
    });
    this.#workloads = new WorkloadsWatch({
      ...options,
      changed: (before, after) => this.#setWorkload(before, after),
      synced: () => this.#reconcileSoon(),
      onError,
    });
    this.#attending = this.#attend(signal);
  }

  /** Resolves when it is known which Workloads there are; rejects when the signal aborts first. */
  ready(signal: AbortSignal): Promise<void> {
    return this.#workloads.ready(signal);
  }

  /** Everything that exists has been put into the queue. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  get workloads(): number {
    return this.#workloads.size;
  }

  /** Objects of watched kinds, whoever they belong to. */
  get objects(): number {
    return this.#ownership.size;
  }

  /** Objects and events that have yet to be read again. */
  get deferred(): number {
    return this.#fetcher.size;
  }

  /** Kinds that cannot be watched, each with a sentence that says what to do. */
  problems(): ReadonlyMap<string, WatchProblem> {
    const own: readonly (readonly [ResourceRef, BowlineError | undefined])[] = [
      [workloadsResource, this.#workloads.error],
      [resources.coreEvents, this.#events.watch?.error],
    ];
    const found = own.flatMap(([resource, error]) => {
      const problem = watchProblem(resource, error);
      return problem === undefined ? [] : [[kindKey(resource), problem] as const];
    });
    return new Map([...found, ...this.#watches.problems()]);
  }

  /** The watches: that of Workloads, that of events, and one for each kind. */
  watches(): readonly WatchState[] {
    const { phase, size } = this.#workloads;
    const events = this.#events.watch;
    return [
      { kind: kindKey(workloadsResource), phase, objects: size },
      ...(events === undefined ? [] : [{ kind: "/Event", phase: events.phase, objects: events.objects }]),
      ...this.#options.router.watches(),
    ];
  }

  async stop(): Promise<void> {
    this.#watches.leave();
    await Promise.all([this.#workloads.stop(), this.#events.stop(), this.#attending]);
  }

  #newFetcher(): Fetcher<OwnedObject | EventSighting> {
    const { queue } = this.#options;
    return new Fetcher({
      ...this.#options,
      fetch: (target, limit) =>
        target instanceof EventSighting
          ? this.#events.fetch(target, limit)
          : this.#objects.fetch(target, limit),
      lost: (target) => {
        if (target instanceof EventSighting) this.#events.lost();
      },
      hasRoom: () => queue.hasRoom,
    });
  }

  #setWorkload(before: WatchedWorkload | undefined, after: WatchedWorkload | undefined): void {
    const name = (after ?? before)?.name ?? "";
    const [old, now] = [namesOf(before), namesOf(after)];
    const left = [...old].filter(([key]) => !now.has(key));
    const come = [...now].filter(([key]) => !old.has(key));
    for (const [key] of left) this.#ownership.unname(key, name);
    for (const [key] of come) this.#ownership.name(key, name);
    for (const [, resource] of [...left, ...come]) this.#objects.review(resource);
    if (after === undefined) this.#ownership.forgetWorkload(name);
    if (left.length > 0 || come.length > 0) this.#reconcileSoon();
  }

  /** Many Workloads change in the same moment. */
  #reconcileSoon(): void {
    if (this.#isReconciling) return;
    this.#isReconciling = true;
    setImmediate(() => {
      this.#isReconciling = false;
      this.#reconcile();
    });
  }

  #reconcile(): void {
    const { signal, queue } = this.#options;
    if (signal.aborted) return;
    const workloads = this.#workloads.list();
    this.#problems.tell(this.problems(), workloads);
    if (!this.#workloads.isSynced) return;
    const wanted = wantedKinds(workloads, this.#ownership.ownerKinds());
    for (const key of this.#watches.want(wanted)) this.#objects.forgetKind(key);
    // From the first Workload on, and after its objects: of what is known already, no event has to be read twice.
    if (wanted.size > 0 && this.#watches.isSettled) this.#events.begin();
    if (this.#isComplete || !this.#watches.isSettled || this.#fetcher.size > 0) return;
    this.#isComplete = true;
    queue.putComplete();
  }

  /** Whether a kind may be watched shows by and by; whatever can be done then, is done. */
  async #attend(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#reconcile();
      const pauseMs = this.#isComplete ? attendMs : attendEarlyMs;
      await this.#options.clock.sleep(pauseMs, signal).catch(() => {});
    }
  }

  #accept(message: KubeMessage): boolean {
    switch (message.action) {
      case "applied":
        this.#objects.seen(message.place, message.object);
        break;
      case "deleted":
        this.#objects.gone(message.place.uid);
        break;
      case "restarted":
        this.#objects.forgetUnseen(message.kind);
        this.#reconcileSoon();
        break;
    }
    return true;
  }

  #tell(error: BowlineError): void {
    this.#options.logger.warn({ err: error }, "Something in the cluster could not be observed");
  }
}

function namesOf(workload: WatchedWorkload | undefined): Map<string, NamedResource> {
  const named = workload?.resources ?? [];
  return new Map(
    named.map((resource) => [nameKey(kindKey(resource.kind), resource.namespace, resource.name), resource]),
  );
}
