import { BowlineError, type Clock, type ErrorCode } from "@bowline/core";

import type { Identity } from "../identity.ts";

/** What was found out about what somebody showed, and which objects that follows from. */
export interface Finding {
  /** Stands for what was shown. */
  readonly key: string;
  readonly verdict: Verdict;
  /** The facts of the User by which it was decided; undefined facts: there was none of that name. */
  readonly user: { readonly name: string; readonly facts: string | undefined };
  /** The same of the Token, if it was one. */
  readonly token?: { readonly name: string; readonly id: string; readonly facts: string };
  /** When the Token was last used, as the database knows it. */
  readonly lastUsedAtMs?: number;
  /** From then on it has to be found out again; missing where every change is heard of. */
  readonly recheckAtMs?: number;
}

export type Verdict =
  | { readonly identity: Identity }
  | { readonly refusal: { readonly code: ErrorCode; readonly message: string } };

/** A finding that is remembered, for as long as it holds. */
export class Standing {
  readonly finding: Finding;
  readonly #clock: Pick<Clock, "now" | "after">;
  readonly #controller = new AbortController();
  #recheckAtMs: number;
  #cancelExpiry: (() => void) | undefined;
  /** When the Token was last used, as far as that is written down or about to be. */
  lastUseNotedMs: number;

  constructor(finding: Finding, clock: Pick<Clock, "now" | "after">) {
    this.finding = finding;
    this.#clock = clock;
    this.#recheckAtMs = finding.recheckAtMs ?? Infinity;
    this.lastUseNotedMs = finding.lastUsedAtMs ?? -Infinity;
  }

  get needsRecheck(): boolean {
    return this.#clock.now() >= this.#recheckAtMs;
  }

  /** Whether another look has found the same; then it goes on as it is, and so do the streams that stand on it. */
  renewedBy(finding: Finding): boolean {
    if (outcomeOf(finding) !== outcomeOf(this.finding)) return false;
    this.#recheckAtMs = finding.recheckAtMs ?? Infinity;
    return true;
  }

  /** The identity, unless it has expired or was refused. */
  admit(): Identity {
    const { verdict } = this.finding;
    if ("refusal" in verdict) throw new BowlineError(verdict.refusal.code, verdict.refusal.message);
    if (this.#clock.now() < (verdict.identity.expiresAtMs ?? Infinity)) return verdict.identity;
    throw new BowlineError("Unauthorized", "The token has expired; sign in again or ask for a new one.");
  }

  /** Aborts when the standing ends or expires. */
  ended(): AbortSignal {
    if (this.#cancelExpiry === undefined) this.#armExpiry();
    return this.#controller.signal;
  }

  /** It does not hold any more, or nobody knows whether it does. */
  end(why = new BowlineError("Unauthorized", "The access has ended; sign in again.")): void {
    this.#cancelExpiry?.();
    this.#controller.abort(why);
  }

  #armExpiry(): void {
    const { verdict } = this.finding;
    const expiresAtMs = "identity" in verdict ? verdict.identity.expiresAtMs : undefined;
    if (expiresAtMs === undefined || this.#controller.signal.aborted) return;
    const leftMs = expiresAtMs - this.#clock.now();
    // The wall clock may have been set back meanwhile: then there is some time left.
    if (leftMs <= 0) this.end();
    else this.#cancelExpiry = this.#clock.after(leftMs, () => this.#armExpiry());
  }
}

function outcomeOf({ verdict, user, token }: Finding): string {
  return JSON.stringify([verdict, user, token]);
}
