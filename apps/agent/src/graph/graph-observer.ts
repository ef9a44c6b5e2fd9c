import type { Clock, Logger } from "@bowline/core";
import { encodeFacts, factsDigest, graphKinds, kindFacts, type KindFacts } from "@bowline/graph";
import type { KnownObjects } from "@bowline/protocol";

import type { WantedKind } from "../observe/kind-watches.ts";
import {
  kindKey,
  splitKind,
  type KindRef,
  type KubeMessage,
  type ObjectPlace,
} from "../observe/kube-message.ts";
import type { Router, Subscription } from "../observe/router.ts";
import { timestamp } from "../report/report-item.ts";
import type { ReportQueue } from "../report/report-queue.ts";
import { ViewsObserver, type ViewCounts } from "../views/views-observer.ts";
import { Coverage, type KindCoverage } from "./coverage.ts";
import { ToldFacts } from "./told-facts.ts";

/** What became of the facts that were made. */
export interface FactCounts {
  told: number;
  /** The server knows them. */
  unchanged: number;
  /** There was no room for them. */
  refused: number;
  /** An object says more than is told of one; among the others. */
  cut: number;
}

export interface GraphObserverOptions {
  readonly router: Router;
  readonly queue: ReportQueue;
  readonly factCounts: FactCounts;
  readonly viewCounts: ViewCounts;
  /** What to observe besides the kinds that are observed in every cluster. */
  readonly moreResources: () => readonly ResourceName[];
  readonly clock: Clock;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

type Applied = Extract<KubeMessage, { readonly action: "applied" }>;

/** A name by which the server calls a kind: `certificates` of `cert-manager.io`. */
export interface ResourceName {
  readonly group: string;
  readonly resource: string;
}

/** Each is a watch. */
const maxMoreKinds = 200;

/** How often it is looked whether kinds can be watched, at the start and from then on. */
const attendEarlyMs = 250;
const attendMs = 5_000;
/** The names of an item beside its facts: place, UID, digest, times. */
const itemBytes = 300;

/**
 * Most names have 253 characters at the most, but Kubernetes sets no limit to those of roles: one of a megabyte would
 * fill a whole message, and nothing else of the cluster would ever be told. Such an object is left out.
 */
const longestName = 1_024;

/**
 * Puts into the queue what each object of the cluster says, when it differs from what the server knows. One epoch long:
 * it begins to observe when the server has said what it knows from before.
 */
export class GraphObserver {
  readonly #options: GraphObserverOptions;
  readonly #told = new ToldFacts();
  readonly #coverage: Coverage;
  readonly #kinds = new Map<string, KindFacts>();
  /** By the names of resources that are configured. */
  readonly #resolved = new Map<string, KindRef>();
  #moreKinds: readonly KindRef[] = [];
  #subscription: Subscription | undefined;
  #views: ViewsObserver | undefined;
  #attending = Promise.resolve();
  #isComplete = false;

  constructor(options: GraphObserverOptions) {
    this.#options = options;
    this.#coverage = new Coverage(options.queue, options.clock);
  }

  /** Everything that exists and was not known has been put into the queue. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Objects that have yet to be read again. */
  get deferred(): number {
    return this.#subscription?.deferred ?? 0;
  }

  coverage(): readonly KindCoverage[] {
    return this.#coverage.list();
  }

  /** There is nothing to wait for: it begins when the server says so. */
  ready(): Promise<void> {
    return Promise.resolve();
  }

  known(objects: KnownObjects): void {
    this.#told.known(objects);
  }

  /** The server has said what it knows. */
  begin(): void {
    const { router, queue, signal } = this.#options;
    if (this.#subscription !== undefined || signal.aborted) return;
    const subscription = router.subscribe({
      name: "graph",
      hasRoom: () => queue.hasRoom,
      accept: (message) => this.#accept(message),
    });
    queue.onRoom = () => subscription.resume();
    this.#subscription = subscription;
    this.#views = new ViewsObserver(this.#options);
    this.#attending = this.#attend(subscription);
  }

  async stop(): Promise<void> {
    this.#views?.stop();
    this.#subscription?.leave();
    await this.#attending;
  }

  async #attend(subscription: Subscription): Promise<void> {
    const { clock, signal, logger } = this.#options;
    while (!signal.aborted) {
      this.#moreKinds = await this.#resolve();
      if (signal.aborted) return;
      try {
        this.#look(subscription);
        this.#views?.attend();
      } catch (error) {
        // Whatever it is, the next look may be better; without one, nothing would be observed any more.
        logger.error({ err: error }, "The kinds of the graph could not be looked after; it is tried again");
      }
      const pauseMs = this.#isComplete ? attendMs : attendEarlyMs;
      await clock.sleep(pauseMs, signal).catch(() => {});
    }
  }

  #look(subscription: Subscription): void {
    const wanted = this.#wanted();
    for (const key of subscription.want(wanted)) this.#unseen(key, undefined, new Set());
    for (const key of wanted.keys()) {
      const scopes = [...(subscription.watchOf(key)?.scopes() ?? [])];
      for (const scope of scopes) {
        const changed = this.#coverage.look(key, scope);
        // Without their kind there can be no objects; but what cannot be read may well be there.
        if (changed === "absent") this.#unseen(key, undefined, new Set());
      }
      if (scopes.length > 0) this.#coverage.retain(key, new Set(scopes.map(({ namespace }) => namespace)));
    }
    if (this.#isComplete || subscription.deferred > 0) return;
    if (![...wanted.keys()].every((key) => this.#coverage.has(key))) return;
    this.#isComplete = true;
    this.#options.queue.putComplete();
  }

  /** The kinds of the resources that are configured; one that the cluster does not have yet is looked for again. */
  async #resolve(): Promise<KindRef[]> {
    const { router, moreResources } = this.#options;
    const kinds: KindRef[] = [];
    for (const name of moreResources().slice(0, maxMoreKinds)) {
      const key = `${name.resource}.${name.group}`;
      const kind = this.#resolved.get(key) ?? (await router.kindOf(name));
      if (kind === undefined) continue;
      this.#resolved.set(key, kind);
      kinds.push(kind);
    }
    return kinds;
  }

  #wanted(): Map<string, WantedKind> {
    const wanted = [...graphKinds, ...this.#moreKinds].map(({ group, kind }) => {
      const key = kindKey({ group, kind });
      return [key, { group, kind, fields: this.#factsOf(key).fields }] as const;
    });
    return new Map(wanted);
  }

  #factsOf(key: string): KindFacts {
    const known = this.#kinds.get(key) ?? kindFacts(splitKind(key));
    this.#kinds.set(key, known);
    return known;
  }

  #accept(message: KubeMessage): boolean {
    if (message.action === "applied") return this.#applied(message);
    if (message.action === "deleted") this.#gone(message.place, this.#told.forget(message.place));
    else this.#restarted(message.kind, message.namespace === "" ? undefined : message.namespace);
    return true;
  }

  #restarted(kind: string, namespace: string | undefined): void {
    const watch = this.#subscription?.watchOf(kind);
    if (watch !== undefined) this.#unseen(kind, namespace, new Set(watch.uids(namespace)));
  }

  #applied({ kind: key, place, object, observedAtMs }: Applied): boolean {
    const { queue, factCounts } = this.#options;
    if (place.name.length > longestName || place.namespace.length > longestName) {
      factCounts.cut += 1;
      return true;
    }
    const made = this.#factsOf(key).facts(object);
    if (made.cut !== undefined) factCounts.cut += 1;
    const encoded = encodeFacts(made);
    const digest = factsDigest(encoded);
    const text = digest.toString("latin1");
    if (!this.#told.isNews(place, text)) {
      factCounts.unchanged += 1;
      return true;
    }
    const { namespace, name, uid } = place;
    const facts = Buffer.from(encoded);
    const observedAt = timestamp(observedAtMs);
    const value = { uid, ...splitKind(key), namespace, name, digest, facts, observedAt };
    const isPut = queue.put({
      key: uid,
      item: { item: { case: "facts", value } },
      bytes: itemBytes + facts.length,
      onSent: () => this.#told.sent(uid),
    });
    factCounts[isPut ? "told" : "refused"] += 1;
    if (isPut) this.#told.told(place, text);
    else this.#told.outdated(place);
    return isPut;
  }

  #unseen(kind: string, namespace: string | undefined, present: ReadonlySet<string>): void {
    for (const [place, isToldOf] of this.#told.unseen(kind, namespace, present)) this.#gone(place, isToldOf);
  }

  #gone({ kind, namespace, uid }: ObjectPlace, isToldOf: boolean): void {
    const { queue } = this.#options;
    if (!isToldOf) {
      queue.remove(uid);
      return;
    }
    const ref = { kind: splitKind(kind).kind, namespace, uid };
    queue.putAlways({ key: uid, item: { item: { case: "gone", value: { ref } } }, bytes: itemBytes });
  }
}
