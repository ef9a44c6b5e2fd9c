import { Session, Token, User } from "@bowline/api";
import { BowlineError, Gate, LruMap, type Clock } from "@bowline/core";
import { typed, type Change } from "@bowline/store";

import { BearerParser, requireIntact, sessionBearer, unauthorized, type Bearer } from "../tokens/bearer.ts";
import { AuthenticationCache, CachedAuthentication } from "./authentication-cache.ts";
import {
  sessionFingerprint,
  tokenFingerprint,
  userFingerprint,
  type AuthenticationResult,
  type Identity,
} from "./identity.ts";

export interface AuthenticatorOptions {
  readonly clock: Clock;
  /** Authenticate by the database or the issuer's keys; `Unauthorized` for what nobody has issued. */
  readonly authenticate: Readonly<Record<Bearer["type"], (bearer: Bearer) => Promise<AuthenticationResult>>>;
  /** Whether every change is heard of: only then can a result be kept. */
  readonly canCache: () => boolean;
  readonly onUse: (cached: CachedAuthentication) => void;
  readonly limits?: Partial<AuthenticatorLimits>;
}

export interface AuthenticatorLimits {
  /** How many results are kept. */
  readonly results: number;
  readonly refusals: number;
  readonly refusedForMs: number;
}

const defaultLimits: AuthenticatorLimits = { results: 10_000, refusals: 10_000, refusedForMs: 10_000 };

interface Refusal {
  readonly message: string;
  readonly untilMs: number;
}

/** An authentication under way, shared by all who wait for it, and the objects that have changed since it began. */
interface PendingAuthentication {
  readonly outcome: Promise<CachedAuthentication>;
  readonly changed: Set<string>;
}

/** Tells the caller of a request, from a cache where that can be relied upon. `changed` and `forgetAll` keep it right. */
export class Authenticator {
  readonly #options: AuthenticatorOptions;
  readonly #limits: AuthenticatorLimits;
  readonly #parser = new BearerParser();
  readonly #cache: AuthenticationCache;
  /** Bearers that nobody has issued. Apart from the cache, so that a flood of them evicts nothing there. */
  readonly #refusals: LruMap<string, Refusal>;
  readonly #pending = new Map<string, PendingAuthentication>();
  /** One for each type, because a slow issuer must not hold up those who use tokens. */
  readonly #gates = {
    token: new Gate({ concurrency: 8, maxWaiting: 4_096 }),
    jwt: new Gate({ concurrency: 256, maxWaiting: 1_024 }),
    session: new Gate({ concurrency: 8, maxWaiting: 4_096 }),
  };

  constructor(options: AuthenticatorOptions) {
    this.#options = options;
    this.#limits = { ...defaultLimits, ...options.limits };
    this.#cache = new AuthenticationCache(this.#limits.results);
    this.#refusals = new LruMap(this.#limits.refusals);
  }

  authenticate(authorization: string | undefined, connection?: object): Identity | Promise<Identity> {
    return this.#authenticateBearer(this.#parser.parse(authorization, connection));
  }

  authenticateSession(secret: string): Identity | Promise<Identity> {
    return this.#authenticateBearer(sessionBearer(secret));
  }

  #authenticateBearer(bearer: Bearer): Identity | Promise<Identity> {
    const cached = this.#cache.get(bearer.key);
    if (cached !== undefined && !cached.needsRecheck) return this.#use(cached);
    requireIntact(bearer);
    this.#refuseKnown(bearer.key);
    return this.#authenticate(bearer);
  }

  ended(identity: Identity): AbortSignal {
    return this.#cache.of(identity)?.ended() ?? AbortSignal.abort(unknowable());
  }

  /** A User, a Token or a Session has changed. */
  changed(change: Change): void {
    for (const { changed } of this.#pending.values()) changed.add(keyOf(change.kind, change.name));
    const isGone = change.type === "DELETED";
    if (change.kind === Session.kind) {
      this.#sessionChanged(typed(Session, change.object), isGone);
    } else if (change.kind === Token.kind) {
      // It may be one that was asked for too early; which one, the change does not tell.
      if (change.type === "ADDED") this.#refusals.clear();
      const fingerprint = isGone ? undefined : tokenFingerprint(typed(Token, change.object));
      for (const cached of this.#cache.ofToken(change.name))
        if (cached.result.token?.fingerprint !== fingerprint) this.#cache.remove(cached);
    } else {
      const fingerprint = isGone ? undefined : userFingerprint(typed(User, change.object));
      for (const cached of this.#cache.ofUser(change.name))
        if (cached.result.user.fingerprint !== fingerprint) this.#cache.remove(cached);
    }
  }

  #sessionChanged(session: Session, isGone: boolean): void {
    const fingerprint = isGone ? undefined : sessionFingerprint(session);
    const { lastUsedAt } = session.status;
    for (const cached of this.#cache.ofSession(session.metadata.name)) {
      if (cached.result.session?.fingerprint !== fingerprint) this.#cache.remove(cached);
      // Another replica may have answered for it meanwhile.
      else if (lastUsedAt !== undefined)
        cached.lastUseNotedMs = Math.max(cached.lastUseNotedMs, Date.parse(lastUsedAt));
    }
  }

  /** Changes may have been missed. */
  forgetAll(): void {
    for (const { changed } of this.#pending.values()) changed.add(everything);
    this.#cache.clear(unknowable());
    this.#refusals.clear();
  }

  #use(cached: CachedAuthentication): Identity {
    const identity = cached.requireIdentity();
    this.#options.onUse(cached);
    return identity;
  }

  #refuseKnown(key: string): void {
    const refusal = this.#refusals.get(key);
    if (refusal !== undefined && this.#options.clock.monotonicMs() < refusal.untilMs) {
      throw unauthorized(refusal.message);
    }
  }

  async #authenticate(bearer: Bearer): Promise<Identity> {
    const pending = this.#pending.get(bearer.key) ?? this.#begin(bearer);
    return this.#use(await pending.outcome);
  }

  #begin(bearer: Bearer): PendingAuthentication {
    const changed = new Set<string>();
    const authenticate = async (): Promise<CachedAuthentication> => {
      try {
        return await this.#gates[bearer.type].pass(() => this.#untilCurrent(bearer, changed));
      } finally {
        this.#pending.delete(bearer.key);
      }
    };
    const pending = { changed, outcome: authenticate() };
    this.#pending.set(bearer.key, pending);
    return pending;
  }

  /** Asks again when something has changed meanwhile: what was read may be from before. */
  async #untilCurrent(bearer: Bearer, changed: Set<string>): Promise<CachedAuthentication> {
    for (;;) {
      changed.clear();
      const result = await this.#ask(bearer, changed);
      const { user, token, session } = result;
      const isOutdated =
        changed.has(everything) ||
        (session !== undefined && changed.has(keyOf(Session.kind, session.name))) ||
        changed.has(keyOf(User.kind, user.name)) ||
        (token !== undefined && changed.has(keyOf(Token.kind, token.name)));
      if (!isOutdated) return this.#keep(result);
    }
  }

  async #ask(bearer: Bearer, changed: ReadonlySet<string>): Promise<AuthenticationResult> {
    try {
      return await this.#options.authenticate[bearer.type](bearer);
    } catch (error) {
      if (error instanceof BowlineError && error.code === "Unauthorized" && changed.size === 0) {
        const untilMs = this.#options.clock.monotonicMs() + this.#limits.refusedForMs;
        this.#refusals.set(bearer.key, { message: error.message, untilMs });
      }
      throw error;
    }
  }

  #keep(result: AuthenticationResult): CachedAuthentication {
    const before = this.#cache.get(result.key);
    if (before?.renewedBy(result) === true) return before;
    const cached = new CachedAuthentication(result, this.#options.clock);
    if (this.#options.canCache()) this.#cache.add(cached);
    return cached;
  }
}

const everything = "*";

/** While changes may be missed, nothing may last that a change could end. A client that has access comes again. */
function unknowable(): BowlineError {
  return new BowlineError(
    "DatabaseUnavailable",
    "It cannot be found out at the moment whether the access still holds; try again.",
  );
}

function keyOf(kind: string, name: string): string {
  return `${kind}/${name}`;
}
