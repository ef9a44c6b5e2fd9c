import type { DeliverySource } from "@bowline/runtime";

/** A key and a generation, and nothing else: whoever gets it reads the object as it is then. */
export interface BrokerMessage {
  /** The kind whose controller it is for. */
  readonly kind: string;
  /** `Kind/name`, as the controllers name their work. */
  readonly key: string;
  readonly generation: number;
  /** Number of the change it tells of, or of the sweep; the same message sent twice is delivered once. */
  readonly id: string;
}

/**
 * Hands keys from those who saw a change to those who act on it. It may lose everything at any time: the sweeper finds
 * again what is not done.
 */
export interface Broker {
  /** Resolves when the broker has them for certain; rejects with `BrokerUnavailable`. */
  publish(messages: readonly BrokerMessage[]): Promise<void>;
  /** The keys of one kind, shared between all who take them. */
  source(kind: string): DeliverySource;
  /** Rejects when the broker cannot be used now. */
  check(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}
