import { backoffDelayMs, BowlineError, type BackoffPolicy, type Clock, type Random } from "@bowline/core";
import type { Informer } from "@bowline/kube";

import type { SeenObject } from "./kube-message.ts";

export interface NamespaceWatchesOptions {
  /** Rejects with `Forbidden` where the objects of a namespace may not be listed. */
  readonly probe: (namespace: string, signal: AbortSignal) => Promise<void>;
  /** Follows the objects of one namespace. */
  readonly open: (namespace: string) => Informer<SeenObject>;
  /** The namespace is gone, and everything in it. */
  readonly closed: (namespace: string) => void;
  readonly onError: (error: BowlineError) => void;
  readonly clock: Clock;
  readonly random: Random;
}

/** Each is a connection to the API server. Whoever may read more namespaces than this should be given all of them. */
const maxWatches = 64;
const maxProbes = 4;
/** Rights come from people. */
const forbiddenMs = 300_000;
/** For an API server that fails. */
const failedBackoff: BackoffPolicy = { baseMs: 5_000, factor: 2, maxMs: forbiddenMs, jitter: 0.2 };

interface Failure {
  readonly error: BowlineError;
  readonly times: number;
}

/**
 * The watches of a kind that may be read in some namespaces and not in all. A namespace that may not be read costs no
 * more than the time at which it is tried again.
 */
export class NamespaceWatches {
  readonly #options: NamespaceWatchesOptions;
  readonly #informers = new Map<string, Informer<SeenObject>>();
  readonly #retryAtMs = new Map<string, number>();
  /** Namespaces of which it is not known whether they may be read, as the API server fails. */
  readonly #failures = new Map<string, Failure>();
  readonly #probing = new Map<string, Promise<void>>();
  readonly #stopping = new Set<Promise<void>>();
  readonly #stop = new AbortController();

  constructor(options: NamespaceWatchesOptions) {
    this.#options = options;
  }

  /** Namespaces whose objects are followed. */
  get namespaces(): readonly string[] {
    return [...this.#informers.keys()];
  }

  get(namespace: string): Informer<SeenObject> | undefined {
    return this.#informers.get(namespace);
  }

  *all(): Generator<Informer<SeenObject>> {
    yield* this.#informers.values();
  }

  /** Namespaces that would be followed if the API server did not fail. */
  *failing(): Generator<readonly [namespace: string, error: BowlineError]> {
    for (const [namespace, { error }] of this.#failures) yield [namespace, error];
  }

  /** To be called again and again with the namespaces there are. */
  attend(namespaces: readonly string[]): void {
    if (this.#stop.signal.aborted) return;
    const present = new Set(namespaces);
    for (const namespace of this.#informers.keys()) if (!present.has(namespace)) this.#close(namespace);
    for (const namespace of this.#retryAtMs.keys()) {
      if (present.has(namespace)) continue;
      this.#retryAtMs.delete(namespace);
      this.#failures.delete(namespace);
    }
    const nowMs = this.#options.clock.monotonicMs();
    for (const namespace of present) {
      if (this.#probing.size >= maxProbes || this.#informers.size + this.#probing.size >= maxWatches) return;
      const isKnown = this.#informers.has(namespace) || this.#probing.has(namespace);
      if (isKnown || (this.#retryAtMs.get(namespace) ?? 0) > nowMs) continue;
      this.#probing.set(namespace, this.#probe(namespace));
    }
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    for (const informer of this.#informers.values()) this.#stopping.add(informer.stop());
    this.#informers.clear();
    await Promise.all([...this.#stopping, ...this.#probing.values()]);
  }

  async #probe(namespace: string): Promise<void> {
    const { probe, open, onError, clock, random } = this.#options;
    const { signal } = this.#stop;
    let retryMs = forbiddenMs;
    try {
      await probe(namespace, signal);
      if (signal.aborted) return;
      this.#failures.delete(namespace);
      const informer = open(namespace);
      this.#informers.set(namespace, informer);
      informer.start();
    } catch (thrown) {
      const error = BowlineError.from(thrown);
      if (signal.aborted) return;
      if (error.code === "Forbidden") {
        this.#failures.delete(namespace);
        return;
      }
      const times = (this.#failures.get(namespace)?.times ?? 0) + 1;
      this.#failures.set(namespace, { error, times });
      retryMs = backoffDelayMs(times - 1, failedBackoff, random);
      if (times === 1) onError(error);
    } finally {
      this.#retryAtMs.set(namespace, clock.monotonicMs() + retryMs);
      this.#probing.delete(namespace);
    }
  }

  #close(namespace: string): void {
    const stopped = this.#informers.get(namespace)?.stop() ?? Promise.resolve();
    this.#informers.delete(namespace);
    this.#stopping.add(stopped);
    void stopped.then(() => this.#stopping.delete(stopped));
    this.#options.closed(namespace);
  }
}
