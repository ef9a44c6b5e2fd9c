import type { Clock, Logger } from "@bowline/core";

import type { AuditLog, NewAuditRecord } from "@bowline/store";

export interface ProxyAuditOptions {
  readonly log: Pick<AuditLog, "append">;
  readonly clock: Pick<Clock, "after">;
  readonly logger: Pick<Logger, "error">;
  /** Records were lost, because the database did not take them. */
  readonly onDropped: (count: number) => void;
  readonly limits?: Partial<ProxyAuditLimits>;
}

export interface ProxyAuditLimits {
  /** How long a record may wait for others to be written with it. */
  readonly flushMs: number;
  /** With so many waiting, further reads that are alike share a record. */
  readonly foldAbove: number;
  /** How many may wait while the database cannot be reached. */
  readonly maxWaiting: number;
  /** How many are written by one statement. */
  readonly batchSize: number;
}

const defaultLimits: ProxyAuditLimits = { flushMs: 250, foldAbove: 250, maxWaiting: 20_000, batchSize: 500 };

interface Waiting {
  readonly record: NewAuditRecord;
  /** Further ones like it. */
  repeats: number;
  requestBytes: number;
  answerBytes: number;
  durationMs: number;
}

const reads: ReadonlySet<string> = new Set(["get", "list", "head", "options"]);

/**
 * Writes a record of every request to a cluster, off its way: many at once, a moment later. A client that reads the
 * same thing hundreds of times a second gets its reads counted instead of named, so that it costs the database no more
 * than a busy user does. Writes, refusals and streams are always named. What waits here, for less than a second, is
 * lost with the process.
 */
export class ProxyAudit {
  readonly #options: ProxyAuditOptions;
  readonly #limits: ProxyAuditLimits;
  #waiting: Waiting[] = [];
  readonly #folds = new Map<string, Waiting>();
  #flushing: Promise<void> | undefined;
  #cancelTimer: (() => void) | undefined;
  #isClosed = false;

  constructor(options: ProxyAuditOptions) {
    this.#options = options;
    this.#limits = { ...defaultLimits, ...options.limits };
  }

  /** Never throws and never waits. */
  record(record: NewAuditRecord): void {
    const { requestBytes = 0, answerBytes = 0, durationMs = 0 } = record.proxy ?? {};
    const isFolded = this.#waiting.length >= this.#limits.foldAbove && isPlainRead(record);
    const key = isFolded ? foldKey(record) : "";
    const alike = this.#folds.get(key);
    if (alike !== undefined) {
      alike.repeats += 1;
      alike.requestBytes += requestBytes;
      alike.answerBytes += answerBytes;
      alike.durationMs = Math.max(alike.durationMs, durationMs);
      return;
    }
    if (this.#isClosed || this.#waiting.length >= this.#limits.maxWaiting) return this.#options.onDropped(1);
    const waiting: Waiting = { record, repeats: 0, requestBytes, answerBytes, durationMs };
    this.#waiting.push(waiting);
    if (isFolded) this.#folds.set(key, waiting);
    this.#arm();
  }

  /** Writes what waits. Records that come later are lost. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelTimer?.();
    await this.#flushing;
    await this.#flush();
    const lost = this.#waiting.length;
    if (lost === 0) return;
    this.#options.onDropped(lost);
    this.#options.logger.error({ lost }, "Audit records of requests to clusters could not be written.");
  }

  #arm(): void {
    if (this.#isClosed || this.#cancelTimer !== undefined || this.#flushing !== undefined) return;
    this.#cancelTimer = this.#options.clock.after(this.#limits.flushMs, () => {
      this.#cancelTimer = undefined;
      this.#flushing = this.#flushThenArm();
    });
  }

  async #flushThenArm(): Promise<void> {
    await this.#flush();
    this.#flushing = undefined;
    if (this.#waiting.length > 0) this.#arm();
  }

  async #flush(): Promise<void> {
    const { log } = this.#options;
    const { batchSize } = this.#limits;
    for (let rest = this.#waiting.length; rest > 0; rest -= batchSize) {
      const batch = this.#waiting.slice(0, Math.min(rest, batchSize));
      // Records that are being written cannot be counted up any more.
      this.#folds.clear();
      try {
        await log.append(batch.map(writtenRecord));
      } catch {
        // The database cannot be reached, which others report; these are written once it can.
        return;
      }
      this.#waiting.splice(0, batch.length);
    }
  }
}

function isPlainRead({ outcome, message, proxy }: NewAuditRecord): boolean {
  if (outcome !== "allowed" || message !== undefined || proxy === undefined) return false;
  return proxy.phase === undefined && reads.has(proxy.verb);
}

function foldKey({ actor, name, httpStatus, proxy = { verb: "" } }: NewAuditRecord): string {
  const { verb, group, resource, subresource, namespace, name: object, path, grant, user } = proxy;
  return [
    actor.user,
    actor.token,
    actor.address,
    name,
    httpStatus,
    verb,
    group,
    resource,
    subresource,
    namespace,
    object,
    path,
    grant,
    user,
  ].join("\n");
}

function writtenRecord({ record, repeats, ...figures }: Waiting): NewAuditRecord {
  const { proxy } = record;
  if (repeats === 0 || proxy === undefined) return record;
  return { ...record, proxy: { ...proxy, ...figures, requests: repeats + 1 } };
}
