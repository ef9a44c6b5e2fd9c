import type { BowlineError } from "@bowline/core";

import type { Identity } from "../identity.ts";
import { LruMap } from "./lru-map.ts";
import type { Standing } from "./standing.ts";

/** The standings that are remembered. One that has to make room for others ends: its streams begin anew. */
export class Standings {
  readonly #byKey: LruMap<string, Standing>;
  readonly #byUser = new Index();
  readonly #byToken = new Index();
  readonly #byIdentity = new WeakMap<Identity, Standing>();

  constructor(maxSize: number) {
    this.#byKey = new LruMap(maxSize, (standing) => this.#end(standing));
  }

  get(key: string): Standing | undefined {
    return this.#byKey.get(key);
  }

  /** The one an identity came from, remembered or not. */
  of(identity: Identity): Standing | undefined {
    return this.#byIdentity.get(identity);
  }

  ofUser(name: string): readonly Standing[] {
    return this.#byUser.get(name);
  }

  ofToken(name: string): readonly Standing[] {
    return this.#byToken.get(name);
  }

  add(standing: Standing): void {
    const { key, user, token, verdict } = standing.finding;
    const before = this.#byKey.get(key);
    if (before !== undefined) this.forget(before);
    this.#byUser.add(user.name, standing);
    if (token !== undefined) this.#byToken.add(token.name, standing);
    if ("identity" in verdict) this.#byIdentity.set(verdict.identity, standing);
    this.#byKey.set(key, standing);
  }

  /** What stands on it is told that the access has ended, unless something else is why. */
  forget(standing: Standing, why?: BowlineError): void {
    this.#byKey.delete(standing.finding.key);
    this.#end(standing, why);
  }

  forgetAll(why: BowlineError): void {
    for (const standing of this.#byKey.values()) this.forget(standing, why);
  }

  #end(standing: Standing, why?: BowlineError): void {
    const { user, token } = standing.finding;
    this.#byUser.delete(user.name, standing);
    if (token !== undefined) this.#byToken.delete(token.name, standing);
    standing.end(why);
  }
}

class Index {
  readonly #sets = new Map<string, Set<Standing>>();

  get(name: string): readonly Standing[] {
    return [...(this.#sets.get(name) ?? [])];
  }

  add(name: string, standing: Standing): void {
    const set = this.#sets.get(name) ?? new Set();
    set.add(standing);
    this.#sets.set(name, set);
  }

  delete(name: string, standing: Standing): void {
    const set = this.#sets.get(name);
    set?.delete(standing);
    if (set?.size === 0) this.#sets.delete(name);
  }
}
