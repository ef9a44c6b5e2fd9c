import type { NewObject, SimApi, SimObject } from "../../store/sim-api.ts";
import { SimStatusError } from "../../store/sim-status-error.ts";
import type { CoreEvent, EventType } from "../kinds/event.ts";
import type { ObjectReference } from "../kinds/meta.ts";
import { Resource } from "../loop/resource.ts";
import type { WorkLoop, WorkQueue } from "../loop/work-loop.ts";
import { microTimestamp, timestamp } from "../timestamps.ts";
import { EventCorrelator } from "./event-correlator.ts";

export interface EventSource {
  readonly component: string;
  readonly host?: string;
  /**
   * The scheduler writes events by the newer API, as a real one does: a time with microseconds, an action, and a
   * series instead of a count.
   */
  readonly action?: string;
}

export interface EventDraft {
  readonly type: EventType;
  readonly reason: string;
  readonly message: string;
  readonly fieldPath?: string;
}

export interface EventLogOptions {
  /** How long an event is kept after it was last seen. */
  readonly ttlMs?: number | undefined;
  /**
   * The oldest events leave when there are more than this, whatever their age. As many may be written in a minute; a
   * greater flood loses events, as it does in a real cluster, where components write only so many.
   */
  readonly maxEvents?: number | undefined;
}

const budgetRefillMs = 60_000;

interface Kept {
  readonly namespace: string;
  readonly name: string;
  expiresMs: number;
}

/** Writes Events about objects, folds repeats into one that counts, and takes old ones away. */
export class EventLog {
  readonly #events: Resource<CoreEvent>;
  readonly #loop: WorkLoop;
  readonly #expiry: WorkQueue;
  readonly #correlator = new EventCorrelator();
  /** By identity; the one seen longest ago first. */
  readonly #kept = new Map<string, Kept>();
  readonly #ttlMs: number;
  readonly #maxEvents: number;
  #sequence = 0;
  #budget: number;
  #budgetMs: number;

  constructor(api: SimApi, loop: WorkLoop, options: EventLogOptions = {}) {
    this.#events = new Resource<CoreEvent>(api, "events");
    this.#loop = loop;
    this.#ttlMs = options.ttlMs ?? 3_600_000;
    this.#maxEvents = options.maxEvents ?? 10_000;
    this.#budget = this.#maxEvents;
    this.#budgetMs = loop.clock.now();
    this.#expiry = loop.queue("event-expiry", () => this.#expire());
  }

  record(source: EventSource, about: SimObject, draft: EventDraft): void {
    const nowMs = this.#loop.clock.now();
    if (!this.#spend(nowMs)) return;
    const subject = `${source.component}\n${source.host ?? ""}\n${about.kind}\n${about.metadata.uid}\n${draft.fieldPath ?? ""}`;
    const kindred = `${subject}\n${draft.type}\n${draft.reason}`;
    const { identity, message } = this.#correlator.correlate(kindred, draft.message, nowMs);
    if (!this.#correlator.allows(subject, nowMs)) return;
    try {
      this.#write(identity, source, about, { ...draft, message });
    } catch (error) {
      // A namespace on its way out takes no new objects; a component loses such an event as well.
      if (!(error instanceof SimStatusError)) throw error;
    }
  }

  close(): void {
    this.#events.close();
  }

  #spend(nowMs: number): boolean {
    const earned = ((nowMs - this.#budgetMs) / budgetRefillMs) * this.#maxEvents;
    this.#budget = Math.min(this.#maxEvents, this.#budget + earned);
    this.#budgetMs = nowMs;
    if (this.#budget < 1) return false;
    this.#budget -= 1;
    return true;
  }

  #write(identity: string, source: EventSource, about: SimObject, draft: EventDraft): void {
    const nowMs = this.#loop.clock.now();
    const kept = this.#kept.get(identity);
    const known = kept === undefined ? undefined : this.#events.get(kept.namespace, kept.name);
    const event =
      known === undefined
        ? this.#events.create(this.#newEvent(source, about, draft))
        : this.#events.update(repeated(known, draft.message, nowMs));
    const { namespace = "default", name } = event.metadata;
    this.#kept.delete(identity);
    this.#kept.set(identity, { namespace, name, expiresMs: nowMs + this.#ttlMs });
    if (this.#kept.size === 1) this.#expiry.addAfter("oldest", this.#ttlMs);
    if (this.#kept.size > this.#maxEvents) this.#dropOldest();
  }

  #newEvent(source: EventSource, about: SimObject, draft: EventDraft): NewObject {
    const nowMs = this.#loop.clock.now();
    const { name, namespace } = about.metadata;
    this.#sequence = (this.#sequence + 1) % 1_000_000;
    const suffix = (BigInt(nowMs) * 1_000_000n + BigInt(this.#sequence)).toString(16);
    return {
      apiVersion: "v1",
      kind: "Event",
      metadata: { name: `${name}.${suffix}`, namespace: namespace ?? "default" },
      involvedObject: referenceTo(about, draft.fieldPath),
      reason: draft.reason,
      message: draft.message,
      type: draft.type,
      ...(source.action === undefined ? coreFields(source, nowMs) : seriesFields(source, nowMs)),
    };
  }

  #expire(): void {
    const nowMs = this.#loop.clock.now();
    for (const kept of this.#kept.values()) {
      if (kept.expiresMs > nowMs) {
        this.#expiry.addAfter("oldest", kept.expiresMs - nowMs);
        return;
      }
      this.#dropOldest();
    }
  }

  #dropOldest(): void {
    const oldest = this.#kept.entries().next();
    if (oldest.done === true) return;
    const [identity, { namespace, name }] = oldest.value;
    this.#kept.delete(identity);
    const event = this.#events.get(namespace, name);
    if (event !== undefined) this.#events.delete(event);
  }
}

function coreFields(source: EventSource, nowMs: number): Partial<CoreEvent> {
  const time = timestamp(nowMs);
  return {
    source: {
      component: source.component,
      ...(source.host === undefined ? {} : { host: source.host }),
    },
    firstTimestamp: time,
    lastTimestamp: time,
    count: 1,
    eventTime: null,
    reportingComponent: "",
    reportingInstance: "",
  };
}

function seriesFields(source: EventSource, nowMs: number): Partial<CoreEvent> {
  return {
    source: {},
    firstTimestamp: null,
    lastTimestamp: null,
    eventTime: microTimestamp(nowMs),
    ...(source.action === undefined ? {} : { action: source.action }),
    reportingComponent: source.component,
    reportingInstance: source.host ?? source.component,
  };
}

function repeated(event: CoreEvent, message: string, nowMs: number): CoreEvent {
  if (typeof event.eventTime === "string") {
    const count = (event.series?.count ?? 1) + 1;
    return { ...event, message, series: { count, lastObservedTime: microTimestamp(nowMs) } };
  }
  return { ...event, message, count: (event.count ?? 1) + 1, lastTimestamp: timestamp(nowMs) };
}

function referenceTo(object: SimObject, fieldPath: string | undefined): ObjectReference {
  const { namespace, name, uid, resourceVersion } = object.metadata;
  return {
    kind: object.kind,
    ...(namespace === undefined ? {} : { namespace }),
    name,
    // Components name a node by its name here, which is how `kubectl describe node` finds its events.
    uid: object.kind === "Node" ? name : uid,
    apiVersion: object.apiVersion,
    ...(object.kind === "Node" ? {} : { resourceVersion }),
    ...(fieldPath === undefined ? {} : { fieldPath }),
  };
}
