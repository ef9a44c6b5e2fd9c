/**
 * Keeps a flood of events small, by the rules every Kubernetes component follows before it writes one: more than ten
 * alike within ten minutes become one combined event, and an object gets at most 25 at once, then one in five minutes.
 */
const maxAlike = 10;
const alikeWindowMs = 600_000;
const burst = 25;
const refillMs = 300_000;
const remembered = 4096;

interface Group {
  readonly messages: Set<string>;
  lastMs: number;
}

interface Bucket {
  tokens: number;
  lastMs: number;
}

export interface Correlation {
  /** Events with the same identity are one event that counts. */
  readonly identity: string;
  readonly message: string;
}

export class EventCorrelator {
  readonly #groups = new Map<string, Group>();
  readonly #buckets = new Map<string, Bucket>();

  /** `kindred` names what alike events share: who says it, about what, and why. */
  correlate(kindred: string, message: string, nowMs: number): Correlation {
    const group = touch(this.#groups, kindred, () => ({ messages: new Set<string>(), lastMs: nowMs }));
    if (nowMs - group.lastMs > alikeWindowMs) group.messages.clear();
    group.lastMs = nowMs;
    if (group.messages.size < maxAlike || group.messages.has(message)) {
      group.messages.add(message);
      return { identity: `${kindred}\n${message}`, message };
    }
    return { identity: kindred, message: `(combined from similar events): ${message}` };
  }

  /** Whether an object that was just spoken of may be spoken of again. */
  allows(subject: string, nowMs: number): boolean {
    const bucket = touch(this.#buckets, subject, () => ({ tokens: burst, lastMs: nowMs }));
    bucket.tokens = Math.min(burst, bucket.tokens + (nowMs - bucket.lastMs) / refillMs);
    bucket.lastMs = nowMs;
    if (bucket.tokens < 1) return false;
    bucket.tokens -= 1;
    return true;
  }
}

/** Reads or makes an entry and marks it as used last; the entry used longest ago leaves when there are too many. */
function touch<V>(entries: Map<string, V>, key: string, make: () => V): V {
  const found = entries.get(key);
  const value = found ?? make();
  if (found !== undefined) entries.delete(key);
  entries.set(key, value);
  if (entries.size > remembered) {
    const oldest = entries.keys().next();
    if (oldest.done !== true) entries.delete(oldest.value);
  }
  return value;
}
