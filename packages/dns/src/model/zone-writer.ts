/** Records of one type at a host. */
export interface RecordSet {
  readonly type: "A" | "AAAA" | "CNAME";
  /** Addresses, or the one name a CNAME leads to. */
  readonly values: readonly string[];
  readonly ttlSeconds: number;
  /** Where the provider answers by weight or latency: which of several sets this is. */
  readonly variant?: { readonly id: string; readonly weight?: number; readonly region?: string };
}

export interface HostRecords {
  /** What resolvers are answered for the host itself; not what a wildcard above it would answer. */
  readonly sets: readonly RecordSet[];
  /**
   * Whose they are by the mark beside them; undefined where there is no mark. Marks of external-dns count as well: their
   * owner is `external-dns/` and its owner id, which is never one of ours.
   */
  readonly owner: string | undefined;
}

/** Who writes, and until when somebody waits for it. */
export interface WriteBy {
  readonly owner: string;
  readonly signal: AbortSignal;
}

export type PutOutcome =
  | { readonly outcome: "kept" | "changed" }
  /** `has` says what stands there and was left alone, in words: `A 192.0.2.1, without a mark`. */
  | { readonly outcome: "foreign"; readonly has: string };

/**
 * Writes the records of hosts in one zone. Other types at a host (MX, TXT) stay as they are.
 *
 * Errors are BowlineErrors; those that are `retryable` may pass by themselves. Hosts and targets may be written in any
 * case and with a dot at the end, and come back in small letters and without one.
 */
export interface ZoneWriter extends AsyncDisposable {
  /** Rejects where the server does not have the zone, or does not take this key; as far as that is told without a change. */
  check(signal: AbortSignal): Promise<void>;
  /** What is there now, asked of the server of the zone itself, not of a cache. */
  look(host: string, signal: AbortSignal): Promise<HostRecords>;
  /**
   * Makes the records of a host these, in one step that either happens as a whole or not at all, and only where the host is
   * free or has the mark of `owner`: the DNS server itself decides that (prerequisites), not a look before. `foreign` tells
   * what stands there and was left alone.
   */
  put(host: string, sets: readonly RecordSet[], by: WriteBy): Promise<PutOutcome>;
  /** Takes records and mark away, where the mark is of `owner`. */
  remove(host: string, by: WriteBy): Promise<"gone" | "foreign">;
}
