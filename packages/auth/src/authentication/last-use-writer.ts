import { Session, Token } from "@bowline/api";
import { BowlineError, withDeadline, type Clock } from "@bowline/core";
import type { ObjectStore } from "@bowline/store";

import type { CachedAuthentication } from "./authentication-cache.ts";

export interface LastUseWriterOptions {
  readonly objects: Pick<ObjectStore, "writeStatus">;
  readonly clock: Clock;
}

interface Use {
  readonly kind: typeof Session | typeof Token;
  readonly name: string;
  readonly id: string;
  readonly atMs: number;
}

/** How exact the time of the last use is. */
const resolutionMs = 60_000;
/** How long uses are gathered to be written together. */
const gatherMs = 5_000;
const maxBatchSize = 100;
const maxPending = 10_000;
const lastFlushLimitMs = 2_000;

/**
 * Writes down when sessions and tokens were last used: each once a minute at most, many in one transaction, and nobody waits for it.
 * A use that a crash loses is written at the next use.
 */
export class LastUseWriter {
  readonly #options: LastUseWriterOptions;
  /** By the id of the Session or Token. */
  readonly #pending = new Map<string, Use>();
  #cancelFlush: (() => void) | undefined;
  #flushing: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: LastUseWriterOptions) {
    this.#options = options;
  }

  /** The Session, or else the Token, if it is one, is used now. */
  note(cached: CachedAuthentication): void {
    const { token, session } = cached.result;
    const used = session ?? token;
    const atMs = this.#options.clock.now();
    if (used === undefined || atMs - cached.lastUseNotedMs < resolutionMs || this.#isClosed) return;
    cached.lastUseNotedMs = atMs;
    const kind = session === undefined ? Token : Session;
    this.#add({ kind, name: used.name, id: used.id, atMs });
  }

  /** Writes what is left, if the database is quick about it. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelFlush?.();
    const { clock } = this.#options;
    const flushAll = async (): Promise<void> => {
      await this.#flushing;
      // So many rounds and no more: what cannot be written comes back each time.
      for (let left = this.#pending.size; left > 0; left -= maxBatchSize) await this.#flush();
    };
    const onTimeout = (): Error => new BowlineError("Timeout", "The last uses of tokens were not written.");
    // Late is all that it can be.
    await withDeadline(flushAll, { clock, limitMs: lastFlushLimitMs, onTimeout }).catch(() => {});
  }

  #add(use: Use): void {
    if (this.#pending.size >= maxPending && !this.#pending.has(use.id)) return;
    this.#pending.set(use.id, use);
    this.#arm();
  }

  #arm(): void {
    if (this.#isClosed || this.#cancelFlush !== undefined || this.#flushing !== undefined) return;
    this.#cancelFlush = this.#options.clock.after(gatherMs, () => {
      this.#cancelFlush = undefined;
      this.#flushing = this.#flush().finally(() => {
        this.#flushing = undefined;
        if (this.#pending.size > 0) this.#arm();
      });
    });
  }

  async #flush(): Promise<void> {
    const uses = [...this.#pending.values()].slice(0, maxBatchSize);
    for (const { id } of uses) this.#pending.delete(id);
    await Promise.all(uses.map((use) => this.#write(use)));
  }

  async #write(use: Use): Promise<void> {
    const { kind, name, id, atMs } = use;
    try {
      await this.#options.objects.writeStatus<typeof Session | typeof Token>(
        kind,
        name,
        ({ status }) => withUse(status, atMs),
        { id },
      );
    } catch (error) {
      // A token that is gone needs no last use; anything else is tried again with the next ones.
      if (BowlineError.from(error).retryable && !this.#pending.has(use.id)) this.#add(use);
    }
  }
}

/** Another replica may have written a later one, or one that is near enough. */
function withUse<Status extends { readonly lastUsedAt?: string }>(status: Status, atMs: number): Status {
  const { lastUsedAt } = status;
  if (lastUsedAt !== undefined && Date.parse(lastUsedAt) > atMs - resolutionMs) return status;
  return { ...status, lastUsedAt: new Date(atMs).toISOString() };
}
