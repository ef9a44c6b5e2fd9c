import { type Clock, type Logger, TokenBucket, type Rate } from "@bowline/core";

import type { AuditLog, NewAuditRecord } from "./audit-log.ts";

export interface AuditBufferOptions {
  readonly log: Pick<AuditLog, "append">;
  readonly clock: Pick<Clock, "after" | "monotonicMs">;
  readonly logger: Pick<Logger, "error">;
  /** How long a record may wait for others to be written with it. */
  readonly flushMs?: number;
  /** Within this time what happens again is counted, not written. */
  readonly repeatMs?: number;
  /** How many different records are written; what goes beyond is told in records without names. */
  readonly rate?: Rate;
}

interface Recent {
  readonly record: NewAuditRecord;
  readonly endsMs: number;
  repeats: number;
}

/** How many records may wait while the database cannot be reached. */
const maxWaiting = 2_000;

/**
 * Writes denials and failures, which belong to no write of an object, to the audit log. A caller who is denied decides
 * how often, so the log is protected: records are written together, repeats are counted, and there is a limit to how many
 * different ones are kept. A record that waits here, for less than a second, is lost with the process.
 */
export class AuditBuffer {
  readonly #options: AuditBufferOptions;
  readonly #flushMs: number;
  readonly #repeatMs: number;
  readonly #budget: TokenBucket;
  #waiting: NewAuditRecord[] = [];
  /** In the order in which they end. */
  readonly #recent = new Map<string, Recent>();
  #dropped = 0;
  #timer: { readonly dueMs: number; readonly cancel: () => void } | undefined;
  #flushing: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(options: AuditBufferOptions) {
    this.#options = options;
    this.#flushMs = options.flushMs ?? 500;
    this.#repeatMs = options.repeatMs ?? 60_000;
    this.#budget = new TokenBucket(options.rate ?? { perSecond: 5, burst: 500 });
  }

  /** Never throws and never waits. */
  record(record: NewAuditRecord): void {
    if (this.#countRepeat(foldKey(record))) return;
    if (this.#budget.take(this.#options.clock.monotonicMs()) === 0) this.#add(record);
    else if (!this.#countRepeat(foldKey(coarseRecord(record)))) this.#add(coarseRecord(record));
  }

  /** Writes what waits. Records that come later are not written. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    await this.#flushing;
    this.#endRepeats(Number.POSITIVE_INFINITY);
    await this.#flush();
    const lost = this.#waiting.length + this.#dropped;
    if (lost > 0)
      this.#options.logger.error({ lost }, "Records of denials and failures could not be written.");
  }

  #countRepeat(key: string): boolean {
    const recent = this.#recent.get(key);
    if (recent === undefined || recent.endsMs <= this.#options.clock.monotonicMs()) return false;
    recent.repeats += 1;
    return true;
  }

  #add(record: NewAuditRecord): void {
    if (this.#isClosed) return;
    const endsMs = this.#options.clock.monotonicMs() + this.#repeatMs;
    this.#endRepeats(endsMs - this.#repeatMs);
    this.#recent.set(foldKey(record), { record, endsMs, repeats: 0 });
    this.#push(record);
    this.#arm(this.#flushMs);
  }

  #push(record: NewAuditRecord): void {
    if (this.#waiting.length < maxWaiting) this.#waiting.push(record);
    else this.#dropped += 1;
  }

  /** Turns the counts whose time is over into records. */
  #endRepeats(nowMs: number): void {
    for (const [key, { record, endsMs, repeats }] of this.#recent) {
      if (endsMs > nowMs) return;
      this.#recent.delete(key);
      if (repeats > 0) this.#push(repeatedRecord(record, repeats));
    }
  }

  /** Makes sure that the next tick comes within this time. */
  #arm(delayMs: number): void {
    const dueMs = this.#options.clock.monotonicMs() + delayMs;
    if (this.#isClosed || (this.#timer !== undefined && this.#timer.dueMs <= dueMs)) return;
    this.#timer?.cancel();
    const cancel = this.#options.clock.after(delayMs, () => {
      this.#timer = undefined;
      this.#flushing = this.#flushing.then(() => this.#tick());
    });
    this.#timer = { dueMs, cancel };
  }

  async #tick(): Promise<void> {
    this.#endRepeats(this.#options.clock.monotonicMs());
    await this.#flush();
    if (this.#waiting.length > 0) this.#arm(this.#flushMs);
    const [next] = this.#recent.values();
    if (next !== undefined) this.#arm(Math.max(0, next.endsMs - this.#options.clock.monotonicMs()));
  }

  async #flush(): Promise<void> {
    const records = this.#waiting;
    if (records.length === 0) return;
    this.#waiting = [];
    try {
      await this.#options.log.append(records);
    } catch {
      // The database cannot be reached, which others report; these are written once it can.
      this.#dropped += Math.max(0, records.length + this.#waiting.length - maxWaiting);
      this.#waiting = [...records, ...this.#waiting].slice(0, maxWaiting);
    }
  }
}

/** The same for records that say the same. */
function foldKey(record: NewAuditRecord): string {
  return JSON.stringify({ ...record, requestId: undefined });
}

/** The record that stands for too many different ones: what was refused, not to whom. */
function coarseRecord({ verb, outcome, httpStatus, requestId }: NewAuditRecord): NewAuditRecord {
  return {
    actor: {},
    verb,
    outcome,
    httpStatus,
    message: "Too many requests were refused to name each.",
    requestId,
  };
}

function repeatedRecord(record: NewAuditRecord, repeats: number): NewAuditRecord {
  const times = repeats === 1 ? "once more" : `${repeats} more times`;
  return { ...record, message: `${record.message ?? ""} (${times})`.trimStart() };
}
