/** A key and a generation, and nothing else: whoever gets it reads the object as it is then. */
export interface BrokerMessage {
  /** The kind whose controller it is for. */
  readonly kind: string;
  /** `Kind/name`, as the controllers name their work. */
  readonly key: string;
  /** 0 where the change is that of another object. */
  readonly generation: number;
  /** Names the change it tells of: replicas that tell of the same change send the same id, and it is delivered once. */
  readonly id: string;
}

/**
 * Hands keys from those who saw a change to those who act on it. Of each key it keeps one message, the last, so it is
 * never fuller than there are objects. It may lose everything at any time: the sweeper finds again what is not done.
 */
export interface Broker {
  /** Whether other processes take from it too, so that keys have to be protected by leases. */
  readonly isShared: boolean;
  /** Resolves when the broker has them for certain; rejects with `BrokerUnavailable`. */
  publish(messages: readonly BrokerMessage[]): Promise<void>;
  /**
   * The same, but only for keys it does not have: one that waits, is to be retried later or is being worked on is left
   * as it is. May wait until there is room. Resolves to how many keys it did not have.
   */
  offer(messages: readonly BrokerMessage[], signal: AbortSignal): Promise<number>;
  /** Calls back when messages may have been lost, until the returned function is called. */
  onLoss(callback: () => void): () => void;
  /** Rejects when the broker cannot be used now. */
  check(signal: AbortSignal): Promise<void>;
}

/**
 * The attempt of a delivery that was handed out again and again without an answer. Whoever took it has probably died of
 * it each time, so it is given up unread.
 */
export const neverAnswered = Number.MAX_SAFE_INTEGER;

interface Subject {
  readonly kind: string;
  readonly name: string;
  readonly generation: number;
}

/** The message that an object has work to do; `version` tells it from others about the same object. */
export function messageOf({ kind, name, generation }: Subject, version: string): BrokerMessage {
  const key = `${kind}/${name}`;
  return { kind, key, generation, id: `${key}@${version}` };
}
