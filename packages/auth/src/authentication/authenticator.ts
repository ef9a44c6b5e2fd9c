import { Token, User } from "@bowline/api";
import { BowlineError, type Clock, Gate } from "@bowline/core";

import { type Change, typed } from "@bowline/store";
import type { Identity } from "../identity.ts";
import { tokenFacts, userFacts } from "./account-facts.ts";
import { requireIntact, unauthorized, type Bearer } from "./bearer.ts";
import { LruMap } from "./lru-map.ts";
import { ShownBearers } from "./shown-bearers.ts";
import { Standing, type Finding } from "./standing.ts";
import { Standings } from "./standings.ts";

export interface AuthenticatorOptions {
  readonly clock: Clock;
  /** Find out about what was shown; `Unauthorized` for what nobody has issued. */
  readonly examine: Readonly<Record<Bearer["type"], (bearer: Bearer) => Promise<Finding>>>;
  /** Whether every change is heard of: only then can anything be remembered. */
  readonly isInformed: () => boolean;
  readonly onUse: (standing: Standing) => void;
  readonly limits?: Partial<AuthenticatorLimits>;
}

export interface AuthenticatorLimits {
  readonly standings: number;
  readonly refusals: number;
  readonly refusedForMs: number;
}

const defaultLimits: AuthenticatorLimits = { standings: 10_000, refusals: 10_000, refusedForMs: 10_000 };

interface Refusal {
  readonly message: string;
  readonly untilMs: number;
}

/** A look at the database or at an issuer's keys, and what has changed since it began. */
interface Flight {
  readonly outcome: Promise<Standing>;
  readonly changed: Set<string>;
}

/** Who somebody is, from memory where that can be relied upon. `changed` and `forgetAll` keep the memory right. */
export class Authenticator {
  readonly #options: AuthenticatorOptions;
  readonly #limits: AuthenticatorLimits;
  readonly #shown = new ShownBearers();
  readonly #standings: Standings;
  /** What nobody has issued. Apart from the standings, so that a flood of such pushes out none of those. */
  readonly #refusals: LruMap<string, Refusal>;
  readonly #flights = new Map<string, Flight>();
  /** One for each, because a slow issuer must not hold up those who use tokens. */
  readonly #gates = {
    token: new Gate({ concurrency: 8, maxWaiting: 4_096 }),
    jwt: new Gate({ concurrency: 256, maxWaiting: 1_024 }),
  };

  constructor(options: AuthenticatorOptions) {
    this.#options = options;
    this.#limits = { ...defaultLimits, ...options.limits };
    this.#standings = new Standings(this.#limits.standings);
    this.#refusals = new LruMap(this.#limits.refusals);
  }

  authenticate(authorization: string | undefined, connection?: object): Identity | Promise<Identity> {
    const bearer = this.#shown.read(authorization, connection);
    const known = this.#standings.get(bearer.key);
    if (known !== undefined && !known.needsRecheck) return this.#admit(known);
    requireIntact(bearer);
    this.#refuseKnown(bearer.key);
    return this.#examine(bearer);
  }

  ended(identity: Identity): AbortSignal {
    return this.#standings.of(identity)?.ended() ?? AbortSignal.abort(unknowable());
  }

  /** A User or a Token has changed. */
  changed(change: Change): void {
    for (const { changed } of this.#flights.values()) changed.add(keyOf(change.kind, change.name));
    const isGone = change.type === "DELETED";
    if (change.kind === Token.kind) {
      // It may be one that was asked for too early; which one, the change does not tell.
      if (change.type === "ADDED") this.#refusals.clear();
      const facts = isGone ? undefined : tokenFacts(typed(Token, change.object));
      const outdated = this.#standings
        .ofToken(change.name)
        .filter(({ finding }) => finding.token?.facts !== facts);
      for (const standing of outdated) this.#standings.forget(standing);
    } else {
      const facts = isGone ? undefined : userFacts(typed(User, change.object));
      const outdated = this.#standings
        .ofUser(change.name)
        .filter(({ finding }) => finding.user.facts !== facts);
      for (const standing of outdated) this.#standings.forget(standing);
    }
  }

  /** Changes may have been missed. */
  forgetAll(): void {
    for (const { changed } of this.#flights.values()) changed.add(everything);
    this.#standings.forgetAll(unknowable());
    this.#refusals.clear();
  }

  #admit(standing: Standing): Identity {
    const identity = standing.admit();
    this.#options.onUse(standing);
    return identity;
  }

  #refuseKnown(key: string): void {
    const refusal = this.#refusals.get(key);
    if (refusal !== undefined && this.#options.clock.monotonicMs() < refusal.untilMs) {
      throw unauthorized(refusal.message);
    }
  }

  async #examine(bearer: Bearer): Promise<Identity> {
    const flight = this.#flights.get(bearer.key) ?? this.#depart(bearer);
    return this.#admit(await flight.outcome);
  }

  #depart(bearer: Bearer): Flight {
    const changed = new Set<string>();
    const examine = async (): Promise<Standing> => {
      try {
        return await this.#gates[bearer.type].pass(() => this.#findOut(bearer, changed));
      } finally {
        this.#flights.delete(bearer.key);
      }
    };
    const flight = { changed, outcome: examine() };
    this.#flights.set(bearer.key, flight);
    return flight;
  }

  /** Looks again when something has changed while it looked: what it read may be from before. */
  async #findOut(bearer: Bearer, changed: Set<string>): Promise<Standing> {
    for (;;) {
      changed.clear();
      const finding = await this.#look(bearer, changed);
      const { user, token } = finding;
      const isOutdated =
        changed.has(everything) ||
        changed.has(keyOf(User.kind, user.name)) ||
        (token !== undefined && changed.has(keyOf(Token.kind, token.name)));
      if (!isOutdated) return this.#remember(finding);
    }
  }

  async #look(bearer: Bearer, changed: ReadonlySet<string>): Promise<Finding> {
    try {
      return await this.#options.examine[bearer.type](bearer);
    } catch (error) {
      if (error instanceof BowlineError && error.code === "Unauthorized" && changed.size === 0) {
        const untilMs = this.#options.clock.monotonicMs() + this.#limits.refusedForMs;
        this.#refusals.set(bearer.key, { message: error.message, untilMs });
      }
      throw error;
    }
  }

  #remember(finding: Finding): Standing {
    const before = this.#standings.get(finding.key);
    if (before?.renewedBy(finding) === true) return before;
    const standing = new Standing(finding, this.#options.clock);
    if (this.#options.isInformed()) this.#standings.add(standing);
    return standing;
  }
}

const everything = "*";

/** While changes may be missed, nothing may last that a change could end. Whoever has access comes again. */
function unknowable(): BowlineError {
  return new BowlineError(
    "DatabaseUnavailable",
    "It cannot be found out at the moment whether the access still holds; try again.",
  );
}

function keyOf(kind: string, name: string): string {
  return `${kind}/${name}`;
}
