import { watchBackoff, type BowlineError, type Clock, type Logger, type Random } from "@bowline/core";
import {
  createInformer,
  Discovery,
  resources,
  ValueInterner,
  type Informer,
  type KubeClient,
  type KubeObject,
  type ResourceRef,
} from "@bowline/kube";

import type { ReportQueue } from "../report/report-queue.ts";
import type { ReportCounts } from "../report/report-sender.ts";
import { EventSighting, observedEvent, regardedBy } from "./event-sighting.ts";
import { EventWatch } from "./event-watch.ts";
import { Fetcher } from "./fetcher.ts";
import { GoneOwners } from "./gone-owners.ts";
import { KindWatch, watchForbidden, type WatchProblem } from "./kind-watch.ts";
import { KindWatches } from "./kind-watches.ts";
import { objectReport, ObjectSighting, placeOf, type ObjectReport } from "./object-sighting.ts";
import { ObservationSink } from "./observation-sink.ts";
import { Ownership, type OwnedObject } from "./ownership.ts";
import {
  kindKey,
  nameKey,
  watchedWorkload,
  type KindRef,
  type NamedResource,
  type WatchedWorkload,
} from "./watched-workload.ts";
import { wantedKinds } from "./wanted-kinds.ts";
import { WatchProblems } from "./watch-problems.ts";

export interface WorkloadObserverOptions {
  readonly client: KubeClient;
  readonly queue: ReportQueue;
  readonly counts: ReportCounts;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Ends it; then `stop` waits until nothing is open any more. */
  readonly signal: AbortSignal;
}

/** As `packages/api` defines it. */
const workloadsResource: ResourceRef = {
  group: "bowline.dev",
  version: "v1alpha1",
  plural: "workloads",
  kind: "Workload",
  namespaced: false,
};

/** How often it is looked whether kinds can be watched, at the start and from then on. */
const attendEarlyMs = 250;
const attendMs = 5_000;

/** How long until Workloads are asked for again, at most: where there are none yet, and where it is forbidden. */
const missingBackoffMs = 2_000;
const forbiddenBackoffMs = 30_000;

/** A watch, for people. */
export interface WatchState {
  readonly kind: string;
  readonly phase: string;
  readonly objects: number;
}

/**
 * Watches the Workloads of the cluster, what they name, what that owns, and the events about all of it, and puts what
 * it sees into the queue. One epoch long: to observe anew, make another one.
 */
export class WorkloadObserver {
  readonly #options: WorkloadObserverOptions;
  readonly #sink: ObservationSink;
  readonly #ownership: Ownership;
  readonly #fetcher: Fetcher<OwnedObject | EventSighting>;
  readonly #watches: KindWatches;
  readonly #workloads: Informer<WatchedWorkload>;
  readonly #discovery: Discovery;
  readonly #problems: WatchProblems;
  readonly #interner = new ValueInterner();
  readonly #attending: Promise<void>;
  #events: EventWatch | undefined;
  /** An object that is just being told of needs not be fetched. */
  #arriving = "";
  #isReconciling = false;
  #isComplete = false;

  constructor(options: WorkloadObserverOptions) {
    const { client, queue, clock, random, logger, signal } = options;
    this.#options = options;
    this.#sink = new ObservationSink(queue, clock);
    this.#ownership = new Ownership(new GoneOwners(clock));
    this.#ownership.onMoved = (object, before) => this.#moved(object, before);
    this.#discovery = new Discovery(client, { clock });
    this.#problems = new WatchProblems(this.#sink, logger);
    this.#fetcher = new Fetcher({
      fetch: (target, limit) =>
        target instanceof EventSighting ? this.#fetchEvent(target, limit) : this.#fetchObject(target, limit),
      lost: (target) => {
        if (target instanceof EventSighting) options.counts.dropped += 1;
      },
      hasRoom: () => queue.hasRoom,
      clock,
      random,
      signal,
    });
    queue.onRoom = () => this.#fetcher.resume();
    this.#watches = new KindWatches({
      open: (kind, isNamed) => this.#open(kind, isNamed),
      closed: (key) => this.#closed(key),
      clock,
    });
    const isForbidden = (): boolean => this.#workloads.state().error?.code === "Forbidden";
    this.#workloads = createInformer<WatchedWorkload>({
      transport: client.transport,
      resource: workloadsResource,
      project: watchedWorkload,
      fields: { spec: { resources: true } },
      backoff: {
        ...watchBackoff,
        // The definition comes with the first workload at the latest, and then somebody waits; rights come from people.
        get maxMs() {
          return isForbidden() ? forbiddenBackoffMs : missingBackoffMs;
        },
      },
      onError: (error) => this.#tell(error),
      clock,
      random,
    });
    this.#workloads.addHandler({
      add: (workload) => this.#setWorkload(undefined, workload),
      update: (before, workload) => this.#setWorkload(before, workload),
      delete: (workload) => this.#setWorkload(workload, undefined),
      synced: () => this.#reconcileSoon(),
    });
    this.#workloads.start();
    this.#attending = this.#attend(signal);
  }

  /** Resolves when it is known which Workloads there are; rejects when the signal aborts first. */
  ready(signal: AbortSignal): Promise<void> {
    return this.#workloads.synced(signal);
  }

  /** Everything that exists has been put into the queue. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  get workloads(): number {
    return this.#workloads.state().objects;
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
    const workloads = problemOf(workloadsResource, this.#workloads.state().error);
    const events = problemOf(resources.coreEvents, this.#events?.error);
    return new Map([...workloads, ...events, ...this.#watches.problems()]);
  }

  /** The watches: that of Workloads, that of events, and one for each kind. */
  watches(): readonly WatchState[] {
    const { phase, objects } = this.#workloads.state();
    const events = this.#events;
    return [
      { kind: kindKey(workloadsResource), phase, objects },
      ...(events === undefined ? [] : [{ kind: "/Event", phase: events.phase, objects: events.objects }]),
      ...[...this.#watches.all()].map((watch) => ({
        kind: watch.key,
        phase: watch.phase,
        objects: watch.objects,
      })),
    ];
  }

  async stop(): Promise<void> {
    await Promise.all([this.#workloads.stop(), this.#watches.stop(), this.#events?.stop(), this.#attending]);
  }

  #setWorkload(before: WatchedWorkload | undefined, after: WatchedWorkload | undefined): void {
    const name = (after ?? before)?.name ?? "";
    const [old, now] = [namesOf(before), namesOf(after)];
    const left = [...old].filter(([key]) => !now.has(key));
    const come = [...now].filter(([key]) => !old.has(key));
    for (const [key] of left) this.#ownership.unname(key, name);
    for (const [key] of come) this.#ownership.name(key, name);
    for (const [, resource] of [...left, ...come]) this.#reviewNamed(resource);
    if (after === undefined) this.#ownership.forgetWorkload(name);
    if (left.length > 0 || come.length > 0) this.#reconcileSoon();
  }

  #reviewNamed({ kind, namespace, name }: NamedResource): void {
    const sighting = this.#watches.get(kindKey(kind))?.get(namespace, name);
    const object = sighting === undefined ? undefined : this.#ownership.get(sighting.place.uid);
    if (object === undefined) return;
    this.#ownership.review(object);
    if (object.workload === undefined) return;
    // More is told of an object that is named itself than of one that another owns.
    object.digest = undefined;
    this.#fetcher.add(object);
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
    if (!this.#workloads.state().synced) return;
    const wanted = wantedKinds(workloads, this.#ownership.ownerKinds());
    this.#watches.want(wanted);
    if (wanted.size > 0) this.#watchEvents();
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

  #open(kind: KindRef, isNamed: boolean): KindWatch {
    const { client, clock, random } = this.#options;
    const key = kindKey(kind);
    return new KindWatch({
      kind,
      isNamed,
      client,
      discovery: this.#discovery,
      project: (object) => this.#sighting(key, object),
      seen: (sighting) => this.#seen(sighting),
      gone: ({ place }) => this.#gone(place.uid),
      synced: () => {
        this.#forgetUnseen(key);
        this.#reconcileSoon();
      },
      onError: (error) => this.#tell(error),
      clock,
      random,
    });
  }

  #sighting(key: string, object: KubeObject): ObjectSighting {
    const place = this.#interner.keep(placeOf(key, object));
    const isOurs = this.#ownership.workloadOf(place) !== undefined;
    const report = isOurs ? objectReport(object, this.#ownership.isNamed(place)) : undefined;
    return new ObjectSighting(place, report);
  }

  #seen(sighting: ObjectSighting): void {
    const { place } = sighting;
    const report = sighting.takeReport();
    this.#arriving = report === undefined ? "" : place.uid;
    const object = this.#ownership.see(place);
    this.#arriving = "";
    if (object.workload === undefined) return;
    if (report === undefined) {
      this.#fetcher.add(object);
    } else {
      this.#fetcher.delete(object);
      this.#put(object, report);
    }
  }

  #put(object: OwnedObject, report: ObjectReport): void {
    const isPut = this.#sink.object(object, report, this.#ownership.isNamed(object.place));
    if (!isPut) this.#fetcher.add(object);
  }

  #gone(uid: string): void {
    const object = this.#ownership.forget(uid);
    if (object === undefined) return;
    this.#fetcher.delete(object);
    if (object.workload !== undefined) this.#sink.gone(object);
  }

  #moved(object: OwnedObject, before: string | undefined): void {
    if (object.workload === undefined) {
      this.#fetcher.delete(object);
      if (before !== undefined) this.#sink.gone(object);
      return;
    }
    object.digest = undefined;
    const { uid } = object.place;
    if (uid !== this.#arriving) this.#fetcher.add(object);
    for (const event of this.#events?.about(uid) ?? []) this.#fetcher.add(event);
  }

  /** A kind that is watched anew was not watched for a moment: what is not there any more went then. */
  #forgetUnseen(key: string): void {
    const watch = this.#watches.get(key);
    if (watch === undefined) return;
    for (const { place } of this.#ownership.objects()) {
      if (place.kind !== key || watch.get(place.namespace, place.name)?.place.uid === place.uid) continue;
      this.#gone(place.uid);
    }
  }

  /** No Workload needs the kind any more. */
  #closed(key: string): void {
    for (const { place } of this.#ownership.objects()) if (place.kind === key) this.#gone(place.uid);
  }

  async #fetchObject(object: OwnedObject, signal: AbortSignal): Promise<void> {
    const { kind, uid } = object.place;
    const watch = this.#watches.get(kind);
    if (watch === undefined) return;
    const read = await watch.read(object.place, signal);
    // The watch was faster, or has told that it is another one now.
    const isStale = object.digest !== undefined || this.#ownership.get(uid) !== object;
    if (isStale || read.metadata.uid !== uid || object.workload === undefined) return;
    this.#put(object, objectReport(read, this.#ownership.isNamed(object.place)));
  }

  /** From the first Workload on, and after its objects: of what is known already, no event has to be read twice. */
  #watchEvents(): void {
    if (this.#events !== undefined || !this.#watches.isSettled) return;
    const { client, counts, clock, random } = this.#options;
    this.#events = new EventWatch({
      client,
      project: (event) => this.#eventSighting(event),
      seen: (sighting, before) => {
        if (before !== undefined) this.#fetcher.delete(before);
        const report = sighting.takeReport();
        if (report !== undefined && !this.#sink.event(report)) this.#fetcher.add(sighting);
      },
      gone: (sighting) => {
        if (this.#fetcher.delete(sighting)) counts.dropped += 1;
      },
      onError: (error) => this.#tell(error),
      clock,
      random,
    });
  }

  #eventSighting(event: KubeObject): EventSighting {
    const regarded = regardedBy(event);
    const workload = this.#ownership.workloadRegarding(regarded);
    const report = workload === undefined ? undefined : observedEvent(event, regarded, workload);
    return new EventSighting(event, regarded.uid, report);
  }

  async #fetchEvent(sighting: EventSighting, signal: AbortSignal): Promise<void> {
    const event = await this.#events?.read(sighting, signal);
    if (event === undefined || event.metadata.uid !== sighting.uid) return;
    const regarded = regardedBy(event);
    const workload = this.#ownership.workloadRegarding(regarded);
    if (workload === undefined || this.#sink.event(observedEvent(event, regarded, workload))) return;
    this.#fetcher.add(sighting);
  }

  #tell(error: BowlineError): void {
    this.#options.logger.warn({ err: error }, "Something in the cluster could not be observed");
  }
}

/** None for failures that go away by themselves. */
function problemOf(resource: ResourceRef, error: BowlineError | undefined): [string, WatchProblem][] {
  const key = kindKey(resource);
  if (error?.code === "Forbidden") return [[key, watchForbidden(resource)]];
  if (error?.code !== "NotFound") return [];
  const message = `The cluster has no ${resource.plural}.${resource.group}: apply their definition, which is in the manifest of bowline cluster add.`;
  return [[key, { reason: "KindUnknown", message }]];
}

function namesOf(workload: WatchedWorkload | undefined): Map<string, NamedResource> {
  const resources = workload?.resources ?? [];
  return new Map(
    resources.map((resource) => [
      nameKey(kindKey(resource.kind), resource.namespace, resource.name),
      resource,
    ]),
  );
}
