import { BowlineError, type Clock, type Logger, type Random } from "@bowline/core";
import { Discovery, ValueInterner, type FieldMask, type KubeClient } from "@bowline/kube";

import { Fetcher } from "./fetcher.ts";
import { KindWatch, type WatchProblem } from "./kind-watch.ts";
import { KindWatches, type WantedKinds } from "./kind-watches.ts";
import { kindKey, type KindRef, type KubeMessage, type ObjectPlace } from "./kube-message.ts";

/**
 * Makes something of what the cluster tells. It is called for one message after the other and does not wait: what it
 * cannot take now, it says so, and is brought again later, from the cluster.
 */
export interface Consumer {
  /** Unique. */
  readonly name: string;
  /** Whether it has room for more. */
  readonly hasRoom: () => boolean;
  /** False where there is no room for what it would make of an object that was applied. */
  accept(message: KubeMessage): boolean;
}

/** What became of the messages for one consumer. */
export interface ConsumerCounts {
  delivered: number;
  /** Objects that it had no room for, or failed on: they were read again later. */
  deferred: number;
  /** Objects that changed again before that: the latest state is told, and those between are not. */
  merged: number;
  /** Objects that were gone by then, or on which it failed again and again. */
  lost: number;
  /** Times that it threw. */
  failures: number;
}

/** The same, and how many objects are to be read again. */
export interface ConsumerState extends Readonly<ConsumerCounts> {
  readonly waiting: number;
}

export interface RouterOptions {
  readonly client: KubeClient;
  /** Whether Secrets may be read; else they are left out, whoever wants them. */
  readonly observesSecrets: boolean;
  /** What became of the messages of earlier routers, by consumer; it is counted on. */
  readonly counts?: Map<string, ConsumerCounts>;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Ends it; then `stop` waits until nothing is open any more. */
  readonly signal: AbortSignal;
}

/** A watch, for people. */
export interface WatchState {
  readonly kind: string;
  readonly phase: string;
  readonly objects: number;
}

const secrets = "/Secret";

/** An object on which a consumer fails again and again waits for its next change. */
const maxFailures = 3;

/**
 * Brings what the watches see to those who want to know of it: one watch for each kind, however many consumers. One that
 * fails or has no room disturbs no other.
 */
export class Router {
  readonly #options: RouterOptions;
  readonly #discovery: Discovery;
  readonly #interner = new ValueInterner();
  readonly #watches: KindWatches;
  readonly #subscriptions = new Map<string, Subscription>();
  readonly #counts: Map<string, ConsumerCounts>;

  constructor(options: RouterOptions) {
    const { client, clock, counts = new Map<string, ConsumerCounts>() } = options;
    this.#counts = counts;
    this.#options = options;
    this.#discovery = new Discovery(client, { clock });
    this.#watches = new KindWatches({
      open: (kind, fields) => this.#open(kind, fields),
      vanished: () => this.#discovery.invalidate(),
      clock,
    });
  }

  subscribe(consumer: Consumer): Subscription {
    const fresh = { delivered: 0, deferred: 0, merged: 0, lost: 0, failures: 0 };
    const counts = this.#counts.get(consumer.name) ?? fresh;
    this.#counts.set(consumer.name, counts);
    const subscription = new Subscription(consumer, { counts, watches: this.#watches }, this.#options);
    this.#subscriptions.set(consumer.name, subscription);
    subscription.onLeft = () => {
      if (this.#subscriptions.get(consumer.name) === subscription) this.#subscriptions.delete(consumer.name);
    };
    return subscription;
  }

  /** The kind that a resource holds; undefined where the cluster has none, or does not say. */
  async kindOf(name: { readonly group: string; readonly resource: string }): Promise<KindRef | undefined> {
    const { group, resource } = name;
    try {
      const found = await this.#discovery.findName(group === "" ? resource : `${resource}.${group}`);
      return found?.group === group ? { group, kind: found.kind } : undefined;
    } catch (error) {
      this.#options.logger.debug(
        { err: error, group, resource },
        "Which kind this is could not be found out",
      );
      return undefined;
    }
  }

  watches(): readonly WatchState[] {
    return [...this.#watches.all()].map(({ key: kind, phase, objects }) => ({ kind, phase, objects }));
  }

  /** By the name of the consumer. */
  consumers(): Readonly<Record<string, ConsumerState>> {
    const states = [...this.#counts].map(([name, counts]) => {
      return [name, { ...counts, waiting: this.#subscriptions.get(name)?.deferred ?? 0 }] as const;
    });
    return Object.fromEntries(states);
  }

  async stop(): Promise<void> {
    await this.#watches.stop();
  }

  #open(kind: KindRef, fields: FieldMask): KindWatch {
    const watch: KindWatch = new KindWatch({
      ...this.#options,
      kind,
      fields,
      isLeftOut: kindKey(kind) === secrets && !this.#options.observesSecrets,
      discovery: this.#discovery,
      interner: this.#interner,
      namespaces: () => this.#namespaces(),
      // What a watch still has to say while it ends is older than what the next one tells.
      deliver: (message) => {
        if (this.#watches.get(watch.key) === watch) this.#deliver(message);
      },
      onError: (error) => this.#options.logger.warn({ err: error }, "A watch of the cluster failed"),
    });
    return watch;
  }

  /** Undefined while their watch begins anew: none of them is gone because of that. */
  #namespaces(): readonly string[] | undefined {
    const watch = this.#watches.get("/Namespace");
    return watch?.isSynced === true ? watch.names() : undefined;
  }

  #deliver(message: KubeMessage): void {
    for (const [name, subscription] of this.#subscriptions) {
      if (this.#watches.of(name, message.kind) !== undefined) subscription.deliver(message);
    }
  }
}

/** What one consumer wants, and what it has yet to be told. */
export class Subscription {
  readonly counts: ConsumerCounts;
  onLeft = (): void => {};
  readonly #consumer: Consumer;
  readonly #watches: KindWatches;
  readonly #options: RouterOptions;
  readonly #fetcher: Fetcher<string>;
  /** Objects that are to be read again, by UID; a new entry whenever one changes meanwhile. */
  readonly #deferred = new Map<string, { readonly place: ObjectPlace }>();
  /** How often it failed on an object since that was last taken, by UID. */
  readonly #failed = new Map<string, number>();
  #hasFailed = false;

  constructor(
    consumer: Consumer,
    { counts, watches }: { readonly counts: ConsumerCounts; readonly watches: KindWatches },
    options: RouterOptions,
  ) {
    this.counts = counts;
    this.#consumer = consumer;
    this.#watches = watches;
    this.#options = options;
    this.#fetcher = new Fetcher({
      ...options,
      fetch: (uid, signal) => this.#fetch(uid, signal),
      lost: (uid) => {
        if (this.#deferred.delete(uid)) this.counts.lost += 1;
      },
      hasRoom: consumer.hasRoom,
    });
  }

  /** Objects that are to be read again. */
  get deferred(): number {
    return this.#deferred.size;
  }

  /** Everything that it wants has been read as far as it can be. */
  get isSettled(): boolean {
    return this.#watches.isSettledFor(this.#consumer.name);
  }

  /** Kinds that it wants and that cannot be watched, each with a sentence that says what to do. */
  problems(): ReadonlyMap<string, WatchProblem> {
    return this.#watches.problems(this.#consumer.name);
  }

  watchOf(key: string): KindWatch | undefined {
    return this.#watches.of(this.#consumer.name, key);
  }

  /** To be called again and again. Returns the kinds that are wanted no more. */
  want(kinds: WantedKinds): readonly string[] {
    if (this.#options.signal.aborted) return [];
    return this.#watches.want(this.#consumer.name, kinds);
  }

  /** There may be room again. */
  resume(): void {
    this.#fetcher.resume();
  }

  leave(): void {
    this.#watches.leave(this.#consumer.name);
    this.#deferred.clear();
    this.onLeft();
  }

  deliver(message: KubeMessage): void {
    if (message.action === "restarted") {
      this.#accept(message);
      return;
    }
    const { uid } = message.place;
    if (message.action === "deleted") {
      this.#settle(uid);
      this.#accept(message);
    } else if (this.#accept(message)) {
      this.#settle(uid);
    } else {
      this.#defer(message.place);
    }
  }

  #accept(message: KubeMessage): boolean {
    this.counts.delivered += 1;
    try {
      return this.#consumer.accept(message);
    } catch (error) {
      this.#tell(message, error);
      return false;
    }
  }

  #tell({ kind }: KubeMessage, cause: unknown): void {
    const { name } = this.#consumer;
    this.counts.failures += 1;
    // Once for all objects of a kind; the others are counted.
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    const message = `What is observed of ${kind} could not be taken by the consumer ${name}.`;
    this.#options.logger.error({ err: new BowlineError("Internal", message, { cause }) }, message);
  }

  #defer(place: ObjectPlace): void {
    if (this.#consumer.hasRoom()) {
      const failures = (this.#failed.get(place.uid) ?? 0) + 1;
      this.#failed.set(place.uid, failures);
      if (failures > maxFailures) {
        this.counts.lost += 1;
        return;
      }
    }
    if (this.#deferred.has(place.uid)) this.counts.merged += 1;
    else this.counts.deferred += 1;
    this.#deferred.set(place.uid, { place });
    this.#fetcher.add(place.uid);
  }

  #settle(uid: string): void {
    this.#failed.delete(uid);
    if (this.#deferred.delete(uid)) this.#fetcher.delete(uid);
  }

  /** Reads an object of which only the place was kept, and brings it. */
  async #fetch(uid: string, signal: AbortSignal): Promise<void> {
    const entry = this.#deferred.get(uid);
    if (entry === undefined) return;
    const { place } = entry;
    const { kind, namespace } = place;
    const watch = this.watchOf(kind);
    if (watch === undefined) {
      this.#deferred.delete(uid);
      return;
    }
    const object = await watch.read(place, signal);
    // The watch was faster, or has told that it is gone.
    if (this.#deferred.get(uid) !== entry || object.metadata.uid !== uid) return;
    this.#deferred.delete(uid);
    const observedAtMs = this.#options.clock.now();
    this.deliver({ action: "applied", kind, namespace, observedAtMs, place, object });
  }
}
