import { BowlineError, isRecord, withDeadline, type Clock } from "@bowline/core";
import {
  createLocalJWKSet,
  errors,
  type FlattenedJWSInput,
  type JSONWebKeySet,
  type JWSHeaderParameters,
  type LocalJWKSet,
} from "jose";

import { isTrustworthyUrl } from "./oidc-settings.ts";

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
const fetchLimitMs = 5_000;
const maxBytes = 1_048_576;

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
      const keys = await this.#fetchJson(await this.#keysUrl());
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
    const found = await this.#fetchJson(`${issuer.replace(/\/$/u, "")}/.well-known/openid-configuration`);
    const { issuer: named, jwks_uri: keysUrl } = isRecord(found) ? found : {};
    if (named !== issuer)
      throw new BowlineError("ResponseInvalid", `What answers at ${issuer} says that it is another issuer.`);
    if (typeof keysUrl !== "string" || !isTrustworthyUrl(keysUrl))
      throw new BowlineError(
        "ResponseInvalid",
        `The issuer ${issuer} names no https:// address for its keys.`,
      );
    return keysUrl;
  }

  #fetchJson(url: string): Promise<unknown> {
    const { fetch, clock } = this.#options;
    const { signal } = this.#closing;
    return fetchJson(url, { fetch, clock, signal, limitMs: fetchLimitMs, maxBytes });
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

interface FetchJsonOptions {
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly limitMs: number;
  readonly maxBytes: number;
}

/** Fetches a JSON document, within limits of time and size and without following anybody elsewhere. */
async function fetchJson(url: string, options: FetchJsonOptions): Promise<unknown> {
  const { clock, limitMs, signal, maxBytes } = options;
  const load = async (forFetch: AbortSignal): Promise<unknown> => {
    const headers = { accept: "application/json" };
    const response = await options.fetch(url, { headers, redirect: "error", signal: forFetch });
    if (!response.ok) {
      await response.body?.cancel();
      throw new BowlineError("ResponseInvalid", `${url} answers with status ${response.status}.`);
    }
    return JSON.parse(await readText(response, url, maxBytes));
  };
  const onTimeout = (): Error => new BowlineError("Timeout", `${url} did not answer within ${limitMs} ms.`);
  return withDeadline(load, { clock, limitMs, signal, onTimeout });
}

async function readText(response: Response, url: string, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    // Leaving the loop cancels the rest.
    if (size > maxBytes)
      throw new BowlineError("ResponseTooLarge", `${url} answers with more than ${maxBytes} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
