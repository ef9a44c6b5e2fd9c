import { BowlineError, LruMap, type Clock } from "@bowline/core";

import type { AuthenticationResult, Identity } from "./identity.ts";

/** An authentication result that is kept for as long as it holds. */
export class CachedAuthentication {
  readonly result: AuthenticationResult;
  readonly #clock: Pick<Clock, "now" | "after">;
  readonly #controller = new AbortController();
  #recheckAtMs: number;
  #cancelExpiry: (() => void) | undefined;
  /** When the Session or Token was last used, as far as that is written down or about to be. */
  lastUseNotedMs: number;

  constructor(result: AuthenticationResult, clock: Pick<Clock, "now" | "after">) {
    this.result = result;
    this.#clock = clock;
    this.#recheckAtMs = result.recheckAtMs ?? Infinity;
    this.lastUseNotedMs = result.lastUsedAtMs ?? -Infinity;
  }

  get needsRecheck(): boolean {
    return this.#clock.now() >= this.#recheckAtMs;
  }

  /** Whether a recheck came to the same result; then this one goes on as it is, and so do the streams that depend on it. */
  renewedBy(result: AuthenticationResult): boolean {
    if (outcomeOf(result) !== outcomeOf(this.result)) return false;
    this.#recheckAtMs = result.recheckAtMs ?? Infinity;
    return true;
  }

  /** The identity, unless it has expired or was refused. */
  requireIdentity(): Identity {
    const { verdict } = this.result;
    if ("refusal" in verdict) throw new BowlineError(verdict.refusal.code, verdict.refusal.message);
    if (this.#clock.now() < this.#endsAtMs) return verdict.identity;
    throw new BowlineError(
      "Unauthorized",
      this.result.session === undefined
        ? "The token has expired; sign in again or ask for a new one."
        : "The session has ended; sign in again.",
    );
  }

  /** Aborts when the result holds no more or expires. */
  ended(): AbortSignal {
    if (this.#cancelExpiry === undefined) this.#armExpiry();
    return this.#controller.signal;
  }

  /** The result does not hold any more, or nobody knows whether it does. */
  end(why = new BowlineError("Unauthorized", "The access has ended; sign in again.")): void {
    this.#cancelExpiry?.();
    this.#controller.abort(why);
  }

  /** A stream that is open is no use of a session: what somebody has left behind ends. */
  get #endsAtMs(): number {
    const { verdict, idleMs = Infinity } = this.result;
    const expiresAtMs = "identity" in verdict ? verdict.identity.expiresAtMs : undefined;
    return Math.min(expiresAtMs ?? Infinity, idleMs === Infinity ? Infinity : this.lastUseNotedMs + idleMs);
  }

  #armExpiry(): void {
    if (this.#endsAtMs === Infinity || this.#controller.signal.aborted) return;
    const leftMs = this.#endsAtMs - this.#clock.now();
    // It may have been used meanwhile, or the wall clock set back: then there is some time left.
    if (leftMs <= 0) this.end();
    else this.#cancelExpiry = this.#clock.after(leftMs, () => this.#armExpiry());
  }
}

/** The results that are kept. One that is evicted ends: the streams that depend on it begin anew. */
export class AuthenticationCache {
  readonly #byKey: LruMap<string, CachedAuthentication>;
  readonly #byUser = new Index();
  readonly #byToken = new Index();
  readonly #bySession = new Index();
  readonly #byIdentity = new WeakMap<Identity, CachedAuthentication>();

  constructor(maxSize: number) {
    this.#byKey = new LruMap(maxSize, (cached) => this.#end(cached));
  }

  get(key: string): CachedAuthentication | undefined {
    return this.#byKey.get(key);
  }

  /** The one an identity came from, whether or not it is still kept. */
  of(identity: Identity): CachedAuthentication | undefined {
    return this.#byIdentity.get(identity);
  }

  ofUser(name: string): readonly CachedAuthentication[] {
    return this.#byUser.get(name);
  }

  ofToken(name: string): readonly CachedAuthentication[] {
    return this.#byToken.get(name);
  }

  ofSession(name: string): readonly CachedAuthentication[] {
    return this.#bySession.get(name);
  }

  add(cached: CachedAuthentication): void {
    const { key, user, token, session, verdict } = cached.result;
    const before = this.#byKey.get(key);
    if (before !== undefined) this.remove(before);
    this.#byUser.add(user.name, cached);
    if (token !== undefined) this.#byToken.add(token.name, cached);
    if (session !== undefined) this.#bySession.add(session.name, cached);
    if ("identity" in verdict) this.#byIdentity.set(verdict.identity, cached);
    this.#byKey.set(key, cached);
  }

  /** Streams that depend on it are told that the access has ended, unless something else is why. */
  remove(cached: CachedAuthentication, why?: BowlineError): void {
    this.#byKey.delete(cached.result.key);
    this.#end(cached, why);
  }

  clear(why: BowlineError): void {
    for (const cached of this.#byKey.values()) this.remove(cached, why);
  }

  #end(cached: CachedAuthentication, why?: BowlineError): void {
    const { user, token, session } = cached.result;
    this.#byUser.delete(user.name, cached);
    if (token !== undefined) this.#byToken.delete(token.name, cached);
    if (session !== undefined) this.#bySession.delete(session.name, cached);
    cached.end(why);
  }
}

class Index {
  readonly #sets = new Map<string, Set<CachedAuthentication>>();

  get(name: string): readonly CachedAuthentication[] {
    return [...(this.#sets.get(name) ?? [])];
  }

  add(name: string, cached: CachedAuthentication): void {
    const set = this.#sets.get(name) ?? new Set();
    set.add(cached);
    this.#sets.set(name, set);
  }

  delete(name: string, cached: CachedAuthentication): void {
    const set = this.#sets.get(name);
    set?.delete(cached);
    if (set?.size === 0) this.#sets.delete(name);
  }
}

function outcomeOf({ verdict, user, token }: AuthenticationResult): string {
  return JSON.stringify([verdict, user, token]);
}
