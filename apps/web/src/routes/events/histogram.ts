import type { EventRecord } from "@bowline/api";

/** A bar: how many things last happened in an interval. */
export interface EventBucket {
  readonly startMs: number;
  readonly normal: number;
  readonly warning: number;
}

export interface HistogramOptions {
  readonly nowMs: number;
  readonly spanMs: number;
  readonly count: number;
}

/**
 * Events by when they last happened, the newest bar last. Bars begin at whole multiples of their width, so that they
 * stand still while time goes on. A repeated event is one thing at the time it happened last: when the others were,
 * nobody has kept.
 */
export function eventBuckets(
  events: Iterable<Pick<EventRecord, "type" | "lastSeenAt">>,
  { nowMs, spanMs, count }: HistogramOptions,
): EventBucket[] {
  const widthMs = spanMs / count;
  const firstMs = Math.floor(nowMs / widthMs) * widthMs - (count - 1) * widthMs;
  const buckets = Array.from({ length: count }, (_, index) => ({
    startMs: firstMs + index * widthMs,
    normal: 0,
    warning: 0,
  }));
  for (const { type, lastSeenAt } of events) {
    const bucket = buckets[Math.floor((Date.parse(lastSeenAt) - firstMs) / widthMs)];
    if (bucket === undefined) continue;
    if (type === "Warning") bucket.warning += 1;
    else bucket.normal += 1;
  }
  return buckets;
}

/** The largest bar, and at least one: an empty picture has a scale too. */
export function tallest(buckets: readonly EventBucket[]): number {
  return Math.max(1, ...buckets.map(({ normal, warning }) => normal + warning));
}
