import { BowlineError, type Clock, TokenBucket, type Rate } from "@bowline/core";

/** Limits of what one user can ask of one cluster, and of how long an answer may take. */
export interface ProxyLimits {
  readonly rate: Rate;
  /** Requests under way, streams not among them. */
  readonly maxRequests: number;
  /** Watches, logs that are followed and upgraded connections under way. */
  readonly maxStreams: number;
  /** How long the head of an answer may take. Longer than the API server's own limit of a minute, which says more. */
  readonly answerTimeoutMs: number;
}

export const defaultProxyLimits: ProxyLimits = {
  rate: { perSecond: 1_000, burst: 5_000 },
  maxRequests: 400,
  maxStreams: 200,
  answerTimeoutMs: 75_000,
};

export interface Use {
  readonly user: string;
  readonly cluster: string;
  /** Whether it lasts until somebody ends it. */
  readonly isStream: boolean;
}

interface Usage {
  readonly bucket: TokenBucket;
  requests: number;
  streams: number;
}

/** Each takes some hundred bytes. */
const maxIdle = 10_000;

/** How much each user asks of each cluster, held to the limits. */
export class UsageTable {
  readonly #limits: ProxyLimits;
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #usages = new Map<string, Usage>();

  constructor(limits: ProxyLimits, clock: Pick<Clock, "monotonicMs">) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /** Counts one more; the caller gives it back once. `TooManyRequests` when it would be one too many. */
  take({ user, cluster, isStream }: Use): () => void {
    const usage = this.#usageOf(`${user}\n${cluster}`);
    const { maxRequests, maxStreams } = this.#limits;
    if (isStream && usage.streams >= maxStreams) {
      throw tooMany(
        `You have ${maxStreams} watches and connections to ${cluster} open; end some of them.`,
        1,
      );
    }
    if (!isStream && usage.requests >= maxRequests) {
      throw tooMany(`You have ${maxRequests} requests to ${cluster} under way; wait for some of them.`, 1);
    }
    const waitMs = usage.bucket.take(this.#clock.monotonicMs());
    if (waitMs > 0) {
      const seconds = Math.ceil(waitMs / 1_000);
      throw tooMany(`You send more requests to ${cluster} than allowed; try again in ${seconds} s.`, seconds);
    }
    if (isStream) usage.streams += 1;
    else usage.requests += 1;
    return () => {
      if (isStream) usage.streams -= 1;
      else usage.requests -= 1;
    };
  }

  #usageOf(key: string): Usage {
    const known = this.#usages.get(key);
    if (known !== undefined) return known;
    if (this.#usages.size >= maxIdle) this.#makeRoom();
    const usage: Usage = { bucket: new TokenBucket(this.#limits.rate), requests: 0, streams: 0 };
    this.#usages.set(key, usage);
    return usage;
  }

  /** A user who is forgotten begins with a full burst again; one with requests under way is kept. */
  #makeRoom(): void {
    for (const [key, { requests, streams }] of this.#usages) {
      if (requests > 0 || streams > 0) continue;
      this.#usages.delete(key);
      return;
    }
  }
}

function tooMany(message: string, retryAfterSeconds: number): BowlineError {
  return new BowlineError("TooManyRequests", message, { details: { retryAfterSeconds } });
}
