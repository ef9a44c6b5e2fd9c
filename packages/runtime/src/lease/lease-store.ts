/** The right of one owner to work on a key, for a while. */
export interface LeaseGrant {
  /** Higher than the token of every grant of this key before. */
  readonly token: number;
}

/**
 * Where replicas agree on who works on a key. Every method decides by the store's own clock and in one atomic step.
 * What they cannot do because the store is out of reach they reject.
 */
export interface LeaseStore {
  /**
   * Grants the key when nobody holds it, when the last lease has run out, and when this owner holds it already (which
   * ends its older grant). Undefined when somebody else holds it.
   */
  tryAcquire(key: string, owner: string, ttlMs: number): Promise<LeaseGrant | undefined>;
  /** Makes a grant last `ttlMs` from now. False when it has ended: run out, released, or followed by another. */
  renew(key: string, token: number, ttlMs: number): Promise<boolean>;
  /** Ends a grant; does nothing when it has ended already. */
  release(key: string, token: number): Promise<void>;
}
