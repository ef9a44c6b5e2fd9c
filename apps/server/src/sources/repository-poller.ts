import { Credential } from "@bowline/api";
import { BowlineError, Gate, type Clock, type Logger, type Metrics, type Random } from "@bowline/core";
import { GitError, resolveRef } from "@bowline/git";
import { LogInformer, type Change, type Store } from "@bowline/store";

import { gitCredential } from "./git-credential.ts";
import { hasSeen, PolledRepository, type Finding, type Follower } from "./polled-repository.ts";
import { PollMetrics } from "./git-metrics.ts";
import type { SharedRefs } from "./shared-refs.ts";
import { followerIn, followerKinds, listFollowers } from "./followers.ts";

export interface RepositoryPollerOptions {
  readonly store: Pick<Store, "objects" | "changes" | "events">;
  readonly refs: SharedRefs;
  /** Has the controllers look at these objects. */
  readonly wake: (followers: readonly Follower[]) => Promise<void>;
  /** Whether this process is the one that asks. */
  readonly leads: () => Promise<boolean>;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** Repositories that are asked at the same time. */
const concurrency = 16;
const maxWaiting = 100_000;
/** A repository that has not answered so long after it was due is told of in the metrics. */
const overdueMs = 10_000;

/**
 * Asks every repository once per interval which commits it has, however many objects follow it, and wakes those whose
 * controller has not seen what it says. Nothing is kept but in memory: what was seen is in the status of the objects,
 * so that an hour without a commit writes nothing.
 */
export class RepositoryPoller {
  readonly #options: RepositoryPollerOptions;
  readonly #informer: LogInformer<Change>;
  readonly #gate = new Gate({ concurrency, maxWaiting, refusal: "Too many repositories wait already." });
  readonly #metrics: PollMetrics;
  readonly #stop = new AbortController();
  readonly #repositories = new Map<string, PolledRepository>();
  /** The repository of each object that follows one. */
  readonly #followed = new Map<string, PolledRepository>();
  readonly #timers = new Map<string, () => void>();
  readonly #polls = new Set<Promise<void>>();

  constructor(options: RepositoryPollerOptions) {
    this.#options = options;
    this.#metrics = new PollMetrics(options.metrics, {
      total: () => this.#repositories.size,
      overdue: () => this.#overdue(),
    });
    this.#informer = new LogInformer({
      ...options,
      log: options.store.changes,
      kinds: [...followerKinds, Credential.kind],
      list: () => this.#list(),
      handle: (changes) => {
        for (const change of changes) this.#follow(change);
      },
    });
  }

  start(): Promise<void> {
    return this.#informer.start();
  }

  async close(): Promise<void> {
    this.#stop.abort(new BowlineError("Cancelled", "Repositories are not asked any more."));
    for (const cancel of this.#timers.values()) cancel();
    await this.#informer.close();
    await Promise.all(this.#polls);
  }

  #overdue(): number {
    const sinceMs = this.#options.clock.monotonicMs() - overdueMs;
    return [...this.#repositories.values()].filter(({ dueMs }) => dueMs < sinceMs).length;
  }

  async #list(): Promise<void> {
    const followers = await listFollowers(this.#options.store.objects);
    const keys = new Set(followers.map(keyOf));
    for (const key of this.#followed.keys()) if (!keys.has(key)) this.#remove(key);
    for (const follower of followers) this.#set(follower);
  }

  #follow(change: Change): void {
    if (change.kind === Credential.kind) return this.#askAgain(change.name);
    const follower = change.type === "DELETED" ? undefined : followerIn(change);
    if (follower === undefined) this.#remove(keyOf(change));
    else this.#set(follower);
  }

  #set(follower: Follower): void {
    const repositoryKey = JSON.stringify([follower.url, follower.credential]);
    const key = keyOf(follower);
    if (this.#followed.get(key)?.key !== repositoryKey) this.#remove(key);
    const known = this.#repositories.get(repositoryKey);
    const repository = known ?? new PolledRepository(repositoryKey);
    const before = repository.usualMs;
    repository.followers.set(key, follower);
    this.#followed.set(key, repository);
    if (known !== undefined) return this.#hasten(known, before);
    this.#repositories.set(repositoryKey, repository);
    this.#schedule(repository, repository.firstDelayMs());
  }

  /** Who wants to know of commits sooner than the others does not wait until they are due. */
  #hasten(repository: PolledRepository, beforeMs: number): void {
    if (repository.failures > 0 || repository.usualMs >= beforeMs) return;
    this.#schedule(repository, repository.nextDelayMs(this.#options.random()));
  }

  #remove(key: string): void {
    const repository = this.#followed.get(key);
    if (repository === undefined) return;
    this.#followed.delete(key);
    repository.followers.delete(key);
    if (repository.followers.size > 0) return;
    this.#repositories.delete(repository.key);
    this.#timers.get(repository.key)?.();
    this.#timers.delete(repository.key);
  }

  /** A credential that was renewed is tried before the delay of the old one has passed. */
  #askAgain(credential: string): void {
    for (const repository of this.#repositories.values()) {
      const uses = [...repository.followers.values()].some((follower) => follower.credential === credential);
      if (!uses || repository.failures === 0) continue;
      repository.failures = 0;
      this.#schedule(repository, 0);
    }
  }

  #schedule(repository: PolledRepository, delayMs: number): void {
    if (this.#stop.signal.aborted || this.#repositories.get(repository.key) !== repository) return;
    this.#timers.get(repository.key)?.();
    repository.dueMs = this.#options.clock.monotonicMs() + delayMs;
    const begin = (): void => {
      const poll = this.#gate
        .pass(() => this.#poll(repository))
        .catch((thrown: unknown) => this.#failed(repository, thrown))
        .finally(() => this.#polls.delete(poll));
      this.#polls.add(poll);
    };
    this.#timers.set(repository.key, this.#options.clock.after(delayMs, begin));
  }

  /** What failed was ours, such as the database. */
  #failed(repository: PolledRepository, thrown: unknown): void {
    if (this.#stop.signal.aborted) return;
    const err = BowlineError.from(thrown);
    this.#options.logger.warn({ err }, "A repository could not be asked; it will be tried again");
    this.#schedule(repository, repository.nextDelayMs(this.#options.random()));
  }

  async #poll(repository: PolledRepository): Promise<void> {
    if (this.#stop.signal.aborted || repository.followers.size === 0) return;
    const { random, leads } = this.#options;
    if (!(await leads())) return this.#schedule(repository, repository.nextDelayMs(random()));
    const { findings, failure } = await this.#ask(repository);
    if (this.#stop.signal.aborted) return;
    repository.failures = failure === undefined ? 0 : repository.failures + 1;
    await this.#tellMissed(repository, findings);
    const unaware = [...repository.followers].flatMap(([key, follower]) => {
      const finding = findings.get(key);
      return finding === undefined || hasSeen(follower, finding) ? [] : [follower];
    });
    if (unaware.length > 0) await this.#options.wake(unaware);
    this.#schedule(repository, repository.nextDelayMs(random(), failure));
  }

  async #ask({ followers }: PolledRepository): Promise<{
    readonly findings: ReadonlyMap<string, Finding>;
    readonly failure?: BowlineError;
  }> {
    const asked = [...followers];
    const { refs, store, clock } = this.#options;
    const [first] = asked;
    if (first === undefined) return { findings: new Map() };
    const [, { url, credential: name }] = first;
    const began = clock.monotonicMs();
    const count = (result: string): void => this.#metrics.polled(result, clock.monotonicMs() - began);
    try {
      const credential = await gitCredential(store.objects, name);
      const wanted = [...new Set(asked.map(([, { ref }]) => ref))];
      const seen = await refs.list({ url, credential, refs: wanted, signal: this.#stop.signal });
      count("answered");
      return {
        findings: new Map(asked.map(([key, { ref }]) => [key, findingOf(() => resolveRef(seen, ref))])),
      };
    } catch (thrown) {
      if (!(thrown instanceof GitError)) throw thrown;
      count(thrown.code);
      return { findings: new Map(asked.map(([key]) => [key, { failure: thrown.code }])), failure: thrown };
    }
  }

  async #tellMissed(repository: PolledRepository, findings: ReadonlyMap<string, Finding>): Promise<void> {
    const { store, clock } = this.#options;
    const missed = repository.missed(findings, clock.now());
    if (missed.length === 0) return;
    const message =
      "A commit was found that no webhook had told of; the repository is asked at its interval again. Look at the deliveries at the sender.";
    await store.events.record(
      missed.map(({ kind, name, id }) => ({
        type: "Warning",
        reason: "WebhookMissed",
        message,
        regarding: { kind, name, id },
        source: "git",
      })),
    );
  }
}

function findingOf(resolve: () => { readonly commit: string }): Finding {
  try {
    return { commit: resolve().commit };
  } catch (thrown) {
    if (!(thrown instanceof GitError)) throw thrown;
    return { failure: thrown.code };
  }
}

function keyOf({ kind, name }: { readonly kind: string; readonly name: string }): string {
  return `${kind}/${name}`;
}
