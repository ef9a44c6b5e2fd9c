import { createHash } from "node:crypto";

import type { BowlineError } from "@bowline/core";

/** An object whose content comes from a repository. */
export interface Follower {
  /** Of the object. */
  readonly kind: string;
  readonly name: string;
  readonly id: string;
  readonly url: string;
  readonly ref: string;
  /** Name of the Credential. */
  readonly credential: string | undefined;
  readonly intervalMs: number;
  /** The commit that its controller last saw; undefined when it could not read the ref. */
  readonly commit: string | undefined;
  /** Why what it saw could not be read or used; undefined when it could. */
  readonly failure: string | undefined;
  /** When a push was last told, of one that has a webhook. */
  readonly pushedAt: string | undefined;
}

/** What a look at a ref came to: its commit, or why that is not known. */
export type Finding = { readonly commit: string } | { readonly failure: string };

/** How much less often a repository is asked whose pushes are told. */
const stretch = 10;
/** Of the interval, added or taken off by chance. */
const jitter = 0.1;
const longestDelayMs = 3_600_000;
/** So long a push that was told may take until its controller has looked. */
const graceMs = 30_000;

/** A repository that is asked for new commits on behalf of all who follow it. */
export class PolledRepository {
  readonly key: string;
  readonly followers = new Map<string, Follower>();
  /** Looks in a row that brought no list of refs. */
  failures = 0;
  /** When it is to be asked, by the clock that never goes back; the next time is set once it has answered. */
  dueMs = Number.POSITIVE_INFINITY;
  /** The last push that was told before one was missed: until the next, nobody relies on them. */
  #unreliable: string | undefined;

  constructor(key: string) {
    this.key = key;
  }

  /** From one look to the next, as long as all goes well. */
  get usualMs(): number {
    const intervalMs = this.#intervalMs();
    return this.isTold ? Math.min(longestDelayMs, intervalMs * stretch) : intervalMs;
  }

  get isTold(): boolean {
    const lastAt = this.#lastPushAt();
    return lastAt !== undefined && lastAt !== this.#unreliable;
  }

  /** Those who would have heard of a commit from a webhook, and did not. */
  missed(findings: ReadonlyMap<string, Finding>, nowMs: number): Follower[] {
    if (!this.isTold) return [];
    const lastAt = this.#lastPushAt();
    if (lastAt === undefined || nowMs - Date.parse(lastAt) < graceMs) return [];
    const missing = [...this.followers].flatMap(([key, follower]) => {
      const found = findings.get(key);
      const isNew = found !== undefined && "commit" in found && found.commit !== follower.commit;
      return isNew && follower.commit !== undefined ? [follower] : [];
    });
    if (missing.length > 0) this.#unreliable = lastAt;
    return missing;
  }

  /** From the start on, as a part of the interval that differs from repository to repository. */
  firstDelayMs(): number {
    const place = createHash("sha256").update(this.key).digest().readUInt32BE() / 2 ** 32;
    return place * this.#intervalMs();
  }

  /** Until the next look, after one that went well or did not. */
  nextDelayMs(random: number, failure?: BowlineError): number {
    const spread = 1 - jitter + 2 * jitter * random;
    if (failure === undefined) return this.usualMs * spread;
    const intervalMs = this.#intervalMs() * spread;
    const asked = failure.details?.["retryAfterMs"];
    const growing = Math.min(longestDelayMs, intervalMs * 2 ** Math.min(this.failures, 16));
    return typeof asked === "number" ? Math.max(growing, Math.min(asked, longestDelayMs)) : growing;
  }

  #intervalMs(): number {
    return Math.min(...[...this.followers.values()].map(({ intervalMs }) => intervalMs));
  }

  #lastPushAt(): string | undefined {
    const times = [...this.followers.values()].flatMap(({ pushedAt }) => pushedAt ?? []);
    return times.toSorted().at(-1);
  }
}

/** Whether the controller has seen what was found; who has not is to look. */
export function hasSeen({ commit, failure }: Follower, finding: Finding): boolean {
  return "commit" in finding
    ? commit === finding.commit
    : commit === undefined && failure === finding.failure;
}
