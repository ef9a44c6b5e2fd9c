import { isDeepStrictEqual } from "node:util";

import { Credential, type DomainName, type DomainNameSpec } from "@bowline/api";
import {
  backoffDelayMs,
  BowlineError,
  errorCodes,
  hasCode,
  LruMap,
  type Clock,
  type Random,
} from "@bowline/core";
import type { Store } from "@bowline/store";

import { recordTexts } from "./record-sets.ts";
import type { HostRecords, RecordSet, ZoneWriter } from "@bowline/dns";

/** Where records of a host are written. */
export type ZonePlace = NonNullable<DomainName["status"]["hosts"][number]["place"]>;

/** The values of a Credential; undefined where the place has none. */
export type OpenZone = (
  place: ZonePlace,
  credential: Readonly<Record<string, string>> | undefined,
) => ZoneWriter;

export type RecordOutcome =
  /** `found` where it was only looked. */
  | { readonly kind: "written"; readonly found?: HostRecords }
  | { readonly kind: "foreign"; readonly has: string }
  /** Tried again at that time. */
  | { readonly kind: "pending"; readonly message: string };

export interface RecordTools {
  readonly objects: Pick<Store["objects"], "reveal">;
  readonly openZone: OpenZone;
  readonly clock: Clock;
  readonly random: Random;
}

/** Where the records of a DomainName are written now. */
export function placeOf({
  domain,
  zone = domain,
  provider,
  rfc2136,
  route53,
  credential,
}: DomainNameSpec): ZonePlace {
  return {
    provider,
    zone,
    ...(rfc2136 === undefined ? {} : { server: rfc2136.server }),
    ...(route53?.hostedZone === undefined ? {} : { hostedZone: route53.hostedZone }),
    ...(credential === undefined ? {} : { credential }),
  };
}

/** A place where records are, with the credential that it has by now: one that was replaced may be there no more. */
export function withCredentialOf(spec: DomainNameSpec, place: ZonePlace): ZonePlace {
  const now = placeOf(spec);
  return isDeepStrictEqual({ ...place, credential: undefined }, { ...now, credential: undefined })
    ? now
    : place;
}

interface Attempts {
  /** What was to be there, by which credential; something else is tried at once. */
  readonly wanted: string;
  readonly failures: number;
  readonly outcome: RecordOutcome;
  /** By the monotonic clock. */
  readonly againMs: number;
}

const retryBackoff = { baseMs: 1_000, maxMs: 30_000, factor: 2, jitter: 0.2 };
/** Somebody else may have changed them. */
const verifyEveryMs = 5 * 60_000;
const askLimitMs = 20_000;
/** So long of a round that goes by: no cluster is looked at meanwhile. */
const verifyForMs = 2_000;
const mostRemembered = 50_000;

/**
 * Writes records, and remembers what came of it: what is there is looked at again now and then only, and what failed after
 * a while that grows. Forgotten with the process, so that a new one looks at everything once.
 */
export class RecordWriter {
  readonly #tools: RecordTools;
  readonly #attempts = new LruMap<string, Attempts>(mostRemembered);

  constructor(tools: RecordTools) {
    this.#tools = tools;
  }

  /** For one round over the hosts of a DomainName, in whose name everything is written. */
  round(by: RoundBy): RecordRound {
    return new RecordRound(this.#tools, this.#attempts, by);
  }
}

interface RoundBy {
  readonly owner: string;
  readonly signal: AbortSignal;
  /** Throws when another server may do the work by now: a name server knows nothing of leases. */
  readonly requireLease: () => void;
}

export class RecordRound implements AsyncDisposable {
  readonly #tools: RecordTools;
  readonly #attempts: LruMap<string, Attempts>;
  readonly #by: RoundBy;
  readonly #zones = new Map<string, Promise<ZoneWriter>>();
  readonly #credentials = new Map<string, Promise<Credential | undefined>>();
  /** Who has not answered is not asked again for the next host. */
  readonly #silent = new Map<string, string>();
  readonly #beganMs: number;
  #againMs = Infinity;

  constructor(tools: RecordTools, attempts: LruMap<string, Attempts>, by: RoundBy) {
    this.#tools = tools;
    this.#attempts = attempts;
    this.#by = by;
    this.#beganMs = tools.clock.monotonicMs();
  }

  /** How long until something has to be tried again; `Infinity` for never. */
  get againInMs(): number {
    return Math.max(0, this.#againMs - this.#tools.clock.monotonicMs());
  }

  /** Whether records could be written there, as far as that can be told while there are none. */
  check(place: ZonePlace): Promise<RecordOutcome> {
    return this.#attempt(place, place.zone, "check", async (zone, { signal }) => {
      await zone.check(signal);
      return { kind: "written" };
    });
  }

  /**
   * Whether the name server can be asked, before it is written down that records may be there: what was never asked, because
   * of a wrong name or key, has none, and nobody has to remove them from there.
   */
  reach(place: ZonePlace, host: string): Promise<RecordOutcome> {
    return this.#attempt(place, host, JSON.stringify(["reach", place]), async (zone, { signal }) => {
      return { kind: "written", found: await zone.look(host, signal) };
    });
  }

  /** Whether what was found is what this DomainName has written. */
  isOwn(found: HostRecords | undefined, records: readonly string[]): boolean {
    if (found?.owner !== this.#by.owner) return false;
    return isDeepStrictEqual(recordTexts(found.sets).toSorted(), records.toSorted());
  }

  /** `told` is what the status has, which may be what another replica has written since. */
  put(
    place: ZonePlace,
    host: string,
    sets: readonly RecordSet[],
    told: readonly string[],
  ): Promise<RecordOutcome> {
    const key = this.#keyOf(place, host);
    const isWritten = this.#attempts.get(key)?.outcome.kind === "written";
    if (isWritten && !isDeepStrictEqual(recordTexts(sets), [...told])) this.#attempts.delete(key);
    return this.#attempt(place, host, JSON.stringify([place, sets]), async (zone, by) => {
      const put = await zone.put(host, sets, by);
      return put.outcome === "foreign" ? { kind: "foreign", has: put.has } : { kind: "written" };
    });
  }

  /** Written means gone: whatever is there now is not ours. */
  async remove(place: ZonePlace, host: string): Promise<RecordOutcome> {
    const outcome = await this.#attempt(place, host, JSON.stringify([place]), async (zone, by) => {
      // Who may not change the zone has nothing to remove from it where there is nothing.
      const { owner } = await zone.look(host, by.signal);
      if (owner === by.owner) await zone.remove(host, by);
      return { kind: "written" };
    });
    if (outcome.kind === "written") this.#attempts.delete(this.#keyOf(place, host));
    return outcome;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const opening of await Promise.allSettled(this.#zones.values())) {
      if (opening.status === "fulfilled") await opening.value[Symbol.asyncDispose]();
    }
  }

  async #attempt(
    place: ZonePlace,
    host: string,
    wanted: string,
    work: (zone: ZoneWriter, by: { owner: string; signal: AbortSignal }) => Promise<RecordOutcome>,
  ): Promise<RecordOutcome> {
    const { clock, random } = this.#tools;
    const key = this.#keyOf(place, host);
    const last = this.#attempts.get(key);
    // Whoever has corrected a key does not wait as long as those who do nothing.
    // One that cannot be read is told of when it is used.
    const credential = await this.#credentialOf(place).catch(() => undefined);
    const asked = JSON.stringify([wanted, credential?.metadata.id, credential?.metadata.generation]);
    const isSame = last?.wanted === asked;
    const nowMs = clock.monotonicMs();
    if (isSame && last.outcome.kind === "written" && nowMs - this.#beganMs >= verifyForMs)
      return last.outcome;
    if (isSame && nowMs < last.againMs) {
      this.#againMs = Math.min(this.#againMs, last.againMs);
      return last.outcome;
    }
    const outcome = await this.#ask(place, work);
    const failures = outcome.kind === "written" ? 0 : (isSame ? last.failures : 0) + 1;
    const delayMs = failures === 0 ? verifyEveryMs : backoffDelayMs(failures - 1, retryBackoff, random);
    const againMs = clock.monotonicMs() + delayMs;
    this.#attempts.set(key, { wanted: asked, failures, outcome, againMs });
    this.#againMs = Math.min(this.#againMs, againMs);
    return outcome;
  }

  /** What is looked at again is looked at anew. */
  forget(place: ZonePlace, host: string): void {
    this.#attempts.delete(this.#keyOf(place, host));
  }

  #keyOf(place: ZonePlace, host: string): string {
    return JSON.stringify([this.#by.owner, host, { ...place, credential: undefined }]);
  }

  async #ask(
    place: ZonePlace,
    work: (zone: ZoneWriter, by: { owner: string; signal: AbortSignal }) => Promise<RecordOutcome>,
  ): Promise<RecordOutcome> {
    const key = JSON.stringify(place);
    const silent = this.#silent.get(key);
    if (silent !== undefined) return { kind: "pending", message: silent };
    const { owner, signal, requireLease } = this.#by;
    try {
      const zone = await this.#zone(place, key);
      requireLease();
      return await work(zone, { owner, signal: AbortSignal.any([signal, AbortSignal.timeout(askLimitMs)]) });
    } catch (thrown) {
      signal.throwIfAborted();
      if (hasCode(thrown, "LeaseLost")) throw thrown;
      const { code, message } = BowlineError.from(thrown);
      // A conflict is one of this host alone.
      if (errorCodes[code].retryable && code !== "Conflict") this.#silent.set(key, message);
      return { kind: "pending", message };
    }
  }

  /** Once for all hosts, also for those that come while its credential is read. */
  #zone(place: ZonePlace, key: string): Promise<ZoneWriter> {
    const open = this.#zones.get(key) ?? this.#open(place);
    this.#zones.set(key, open);
    return open;
  }

  async #open(place: ZonePlace): Promise<ZoneWriter> {
    return this.#tools.openZone(place, valuesOf(place, await this.#credentialOf(place)));
  }

  /** As it is in this round. */
  async #credentialOf({ credential: name }: ZonePlace): Promise<Credential | undefined> {
    if (name === undefined) return undefined;
    const known = this.#credentials.get(name) ?? this.#tools.objects.reveal(Credential, name);
    this.#credentials.set(name, known);
    return known;
  }
}

function valuesOf(
  { provider, credential: name }: ZonePlace,
  credential: Credential | undefined,
): Readonly<Record<string, string>> | undefined {
  if (name === undefined) return undefined;
  const type = provider === "rfc2136" ? "tsig" : "aws";
  if (credential?.spec.type === type) return { ...credential.spec.data };
  const problem =
    credential === undefined
      ? `There is no Credential "${name}"; create it.`
      : `Credential "${name}" is of type ${credential.spec.type}; it must be of type ${type}.`;
  throw new BowlineError("NotFound", problem);
}
