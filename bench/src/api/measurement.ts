import type { RequestTarget } from "./requests.ts";

/** What a load process is asked to do. */
export interface LoadOrder extends RequestTarget {
  readonly connections: number;
  readonly durationMs: number;
}

export interface CreateOrder extends LoadOrder {
  /** The number of the first object. */
  readonly from: number;
  /** The number of the last one, should the time not be over before. */
  readonly to?: number;
}

export interface GetOrder extends LoadOrder {
  /** Objects 0 to this are asked for, in no order. */
  readonly objects: number;
}

export interface ListOrder extends LoadOrder {
  /** Of the page to ask for; the first without it. */
  readonly cursor?: string | undefined;
}

export interface LoadMeasurement {
  readonly requests: number;
  readonly elapsedMs: number;
}

/** Changes at an even pace; each of objects 0 to `count` is changed once. */
export interface ChangeOrder extends RequestTarget {
  readonly count: number;
  readonly perSecond: number;
  /** Sets the region, which gives the controller something to do; without it only an annotation changes. */
  readonly region?: string;
}

export interface WatchOrder extends RequestTarget {
  readonly watchers: number;
  /** Where to begin. */
  readonly resourceVersion: string;
}

export interface LatencyOrder {
  /** How many changes every watcher will see. */
  readonly changes: number;
  /** When a change counts as seen: as soon as it is announced, or when its controller has said that it is done. */
  readonly until: "announced" | "observed";
}

export interface LatencyMeasurement {
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Carries the time a change was sent, so that whoever sees it knows how old it is. */
export const sentAtAnnotation = "bench.bowline.dev/sent-at";

/** Wall clock with fractions: the two ends of a latency are in different processes. */
export const nowMs = (): number => performance.timeOrigin + performance.now();
