/** A key a broker handed to this process, to be settled by exactly one of `ack`, `retry` and `deadLetter`. */
export interface Delivery {
  readonly key: string;
  /** The generation of the object when the key was sent. Of several deliveries of a key, the highest stands for all. */
  readonly generation: number;
  /**
   * One more than the failures in a row before, as far as the broker knows: it keeps the number that `retry` was given.
   * One that cannot keep it says 1; the controller also counts by itself. The number of deliveries is not meant.
   */
  readonly attempt: number;
  /** The work is done; never deliver it again. */
  ack(): Promise<void> | void;
  /** Deliver it again after `delayMs`, to anybody, as attempt number `attempt`. */
  retry(delayMs: number, attempt: number): Promise<void> | void;
  /** Still held: do not deliver it to somebody else yet. */
  inProgress(): Promise<void> | void;
  /** Given up: put it where people see it, and never deliver it again. */
  deadLetter(reason: string): Promise<void> | void;
}

/** The side of a broker that hands out keys. What is neither settled nor said to be in progress, it delivers again. */
export interface DeliverySource {
  /** How long it waits for a sign of life before it delivers to somebody else. */
  readonly ackWaitMs: number;
  /**
   * Waits until there is something, and resolves to at most `max` deliveries; to none if nothing came for long. Rejects
   * when the signal aborts, and when the broker is out of reach; it is then called again after a while.
   */
  take(max: number, signal: AbortSignal): Promise<readonly Delivery[]>;
}

/** How the deliveries of a key are settled when the work on it has ended. */
export type Settlement =
  | { readonly kind: "ack" }
  | { readonly kind: "retry"; readonly delayMs: number; readonly attempt: number }
  | { readonly kind: "dead-letter"; readonly reason: string };
