import { BowlineError, isRecord, type Clock } from "@bowline/core";
import {
  createLocalJWKSet,
  errors,
  type FlattenedJWSInput,
  type JSONWebKeySet,
  type JWSHeaderParameters,
  type LocalJWKSet,
} from "jose";

import { fetchJson, type FetchJsonOptions } from "./fetch-json.ts";
import { fetchIssuerDocument } from "./issuer-document.ts";

export interface IssuerKeysOptions {
  readonly issuer: string;
  readonly fetch: typeof fetch;
  readonly clock: Clock;
}

/** Older keys are still used, and new ones are fetched meanwhile. */
const refreshAfterMs = 10 * 60_000;
/** For how long keys are used when the issuer cannot be reached. */
const maxAgeMs = 24 * 60 * 60_000;
/** The issuer is not asked more often, whatever JWTs arrive. */
const cooldownMs = 10_000;

interface FetchedKeys {
  readonly find: LocalJWKSet;
  readonly fetchedMs: number;
}

/** The public keys of an issuer: fetched when they are needed, and again when a JWT names one that is not there. */
export class IssuerKeys {
  readonly #options: IssuerKeysOptions;
  readonly #closing = new AbortController();
  #keys: FetchedKeys | undefined;
  #fetching: Promise<FetchedKeys> | undefined;
  #lastAttemptMs = -Infinity;
  #lastFailure: BowlineError | undefined;

  constructor(options: IssuerKeysOptions) {
    this.#options = options;
  }

  /** The key of a JWT. `ServerUnavailable` when it is not known and the issuer cannot be asked. */
  readonly find = async (header: JWSHeaderParameters, token: FlattenedJWSInput): ReturnType<LocalJWKSet> => {
    const keys = await this.#current();
    try {
      return await keys.find(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      const { find } = await this.#renewed(keys);
      return find(header, token);
    }
  };

  /** Ends a fetch that is under way. */
  close(): void {
    this.#closing.abort(new BowlineError("ServerUnavailable", "The server is stopping."));
  }

  async #current(): Promise<FetchedKeys> {
    const keys = this.#keys;
    const ageMs = this.#nowMs - (keys?.fetchedMs ?? -Infinity);
    if (keys === undefined || ageMs > maxAgeMs) return this.#fetchUnlessTriedNow();
    // Nobody waits for it; if it fails, the next one tries.
    if (ageMs > refreshAfterMs) this.#fetchUnlessTriedNow().catch(() => {});
    return keys;
  }

  /** Newer keys than these, or the same if they are new enough for a key that is not among them not to exist. */
  async #renewed(keys: FetchedKeys): Promise<FetchedKeys> {
    if (this.#keys !== undefined && this.#keys !== keys) return this.#keys;
    if (this.#lastFailure === undefined && this.#nowMs - keys.fetchedMs < cooldownMs) return keys;
    return this.#fetchUnlessTriedNow();
  }

  get #nowMs(): number {
    return this.#options.clock.monotonicMs();
  }

  async #fetchUnlessTriedNow(): Promise<FetchedKeys> {
    if (this.#fetching !== undefined) return this.#fetching;
    const isTooSoon = this.#nowMs - this.#lastAttemptMs < cooldownMs;
    if (isTooSoon && this.#lastFailure !== undefined) throw unavailable(this.#lastFailure);
    this.#lastAttemptMs = this.#nowMs;
    this.#fetching = this.#fetch().finally(() => (this.#fetching = undefined));
    return this.#fetching;
  }

  async #fetch(): Promise<FetchedKeys> {
    try {
      const keys = await fetchJson(await this.#keysUrl(), this.#fetchOptions);
      if (!isKeySet(keys)) throw new BowlineError("ResponseInvalid", "The issuer publishes no set of keys.");
      this.#keys = { find: createLocalJWKSet(keys), fetchedMs: this.#nowMs };
      this.#lastFailure = undefined;
      return this.#keys;
    } catch (error) {
      this.#lastFailure = BowlineError.from(error);
      throw unavailable(this.#lastFailure);
    }
  }

  async #keysUrl(): Promise<string> {
    const { issuer } = this.#options;
    const { keysUrl } = await fetchIssuerDocument(issuer, this.#fetchOptions);
    if (keysUrl !== undefined) return keysUrl;
    throw new BowlineError("ResponseInvalid", `The issuer ${issuer} names no https:// address for its keys.`);
  }

  get #fetchOptions(): FetchJsonOptions {
    const { fetch, clock } = this.#options;
    return { fetch, clock, signal: this.#closing.signal };
  }
}

/** Whether it has keys; jose looks at each of them. */
function isKeySet(value: unknown): value is JSONWebKeySet {
  return isRecord(value) && Array.isArray(value["keys"]);
}

function unavailable(cause: BowlineError): BowlineError {
  return new BowlineError(
    "ServerUnavailable",
    "The JWT cannot be checked, because the keys of the OIDC issuer cannot be fetched; try again later.",
    { cause },
  );
}
