import type { QueuedItem } from "./report-item.ts";

export interface ReportQueueLimits {
  readonly maxItems: number;
  readonly maxBytes: number;
}

export interface TakeLimits {
  readonly maxItems: number;
  readonly maxBytes: number;
}

/** What is sent next: items, or the word that everything which exists was sent. */
export type Taken =
  | { readonly kind: "items"; readonly items: readonly QueuedItem[] }
  | { readonly kind: "complete" };

const defaultLimits: ReportQueueLimits = { maxItems: 100_000, maxBytes: 16 * 1024 * 1024 };

/** Stands in the queue where everything that existed has been put before it. */
const completeKey = "complete";

/**
 * Observations that wait for the server: the latest of each object and each event, in the order in which they first
 * came. It never grows beyond its limits: whoever has something to put then keeps the name of it, and brings it again
 * when there is room.
 */
export class ReportQueue {
  /** Something came that could be sent. */
  onItems = (): void => {};
  /** There is room again, after something was refused. */
  onRoom = (): void => {};
  readonly #limits: ReportQueueLimits;
  #waiting = new Map<string, QueuedItem | undefined>();
  #bytes = 0;
  #isFull = false;

  constructor(limits: ReportQueueLimits = defaultLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#waiting.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get hasRoom(): boolean {
    return !this.#isFull;
  }

  /** False where there is no room: nothing is kept then, not even what was queued before under the same key. */
  put(item: QueuedItem): boolean {
    const before = this.#waiting.get(item.key)?.bytes ?? 0;
    const isNew = !this.#waiting.has(item.key);
    const { maxItems, maxBytes } = this.#limits;
    if (this.#bytes - before + item.bytes > maxBytes || (isNew && this.#waiting.size >= maxItems)) {
      this.remove(item.key);
      this.#isFull = true;
      return false;
    }
    this.#set(item, before);
    return true;
  }

  /** For what is small and must not be lost: that something is gone. */
  putAlways(item: QueuedItem): void {
    this.#set(item, this.#waiting.get(item.key)?.bytes ?? 0);
  }

  remove(key: string): void {
    const item = this.#waiting.get(key);
    if (!this.#waiting.delete(key)) return;
    this.#bytes -= item?.bytes ?? 0;
    this.#tellRoom();
  }

  /** Everything that exists stands before this. */
  putComplete(): void {
    this.#waiting.set(completeKey, undefined);
    this.onItems();
  }

  /** Takes what came first, at most so much and at least one. */
  take({ maxItems, maxBytes }: TakeLimits): Taken | undefined {
    const items: QueuedItem[] = [];
    let bytes = 0;
    for (const [key, item] of this.#waiting) {
      if (item === undefined) {
        if (items.length > 0) break;
        this.#waiting.delete(key);
        return { kind: "complete" };
      }
      if (items.length >= maxItems || (items.length > 0 && bytes + item.bytes > maxBytes)) break;
      items.push(item);
      bytes += item.bytes;
      this.#waiting.delete(key);
    }
    if (items.length === 0) return undefined;
    this.#bytes -= bytes;
    for (const { onSent } of items) onSent?.();
    this.#tellRoom();
    return { kind: "items", items };
  }

  /** Puts what was not stored back to where it was: before everything else, unless something later has come. */
  giveBack(taken: readonly Taken[]): void {
    const later = this.#waiting;
    this.#waiting = new Map();
    for (const each of taken) {
      if (each.kind === "complete") this.#waiting.set(completeKey, undefined);
      else for (const item of each.items) if (!later.has(item.key)) this.#set(item, 0);
    }
    for (const [key, item] of later) this.#waiting.set(key, item);
  }

  #set(item: QueuedItem, bytesBefore: number): void {
    this.#bytes += item.bytes - bytesBefore;
    this.#waiting.set(item.key, item);
    this.onItems();
  }

  /** Not at the first byte: whoever waits brings many at once. */
  #tellRoom(): void {
    const { maxItems, maxBytes } = this.#limits;
    if (!this.#isFull || this.#bytes > maxBytes / 2 || this.#waiting.size > maxItems / 2) return;
    this.#isFull = false;
    this.onRoom();
  }
}
