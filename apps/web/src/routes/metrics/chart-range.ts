import type { RangeQuery } from "../../kube/prometheus.ts";

/** How far back charts reach, as the address names it. */
export const ranges = {
  "15m": 900_000,
  "1h": 3_600_000,
  "6h": 21_600_000,
  "24h": 86_400_000,
  "7d": 604_800_000,
} as const;
export type RangeName = keyof typeof ranges;

export const steps = { "5s": 5_000, "15s": 15_000, "1m": 60_000, "5m": 300_000, "1h": 3_600_000 } as const;
export type StepName = keyof typeof steps;

/** What the address of charts says. */
export interface MetricsSearch {
  readonly service?: string;
  readonly query?: string;
  readonly range?: RangeName;
  readonly step?: StepName;
}

export function metricsSearch(search: Readonly<Record<string, unknown>>): MetricsSearch {
  const { service, query, range, step } = search;
  return {
    ...(typeof service === "string" && service !== "" ? { service } : {}),
    ...(typeof query === "string" && query !== "" ? { query } : {}),
    // A number is a question of PromQL too, and the router reads it as one.
    ...(typeof query === "number" ? { query: String(query) } : {}),
    ...(isRange(range) ? { range } : {}),
    ...(isStep(step) ? { step } : {}),
  };
}

/** As many points as a chart can show; Prometheus refuses more than 11,000. */
const wantedPoints = 240;
const maxPoints = 2_000;

function isRange(name: unknown): name is RangeName {
  return typeof name === "string" && Object.hasOwn(ranges, name);
}

function isStep(name: unknown): name is StepName {
  return typeof name === "string" && Object.hasOwn(steps, name);
}

/**
 * The times of a chart that ends now. They are whole multiples of the step, so that the same samples are asked for
 * while it goes on. A step that would give more points than anybody can see is made longer.
 */
export function rangeAt(
  nowMs: number,
  range: RangeName,
  step: StepName | undefined,
): Omit<RangeQuery, "query"> {
  const spanMs = ranges[range];
  const stepMs = Math.max(
    step === undefined ? autoStepMs(spanMs) : steps[step],
    Math.ceil(spanMs / maxPoints),
  );
  const endMs = Math.floor(nowMs / stepMs) * stepMs;
  return { startMs: endMs - Math.floor(spanMs / stepMs) * stepMs, endMs, stepMs };
}

function autoStepMs(spanMs: number): number {
  const known = Object.values(steps).find((stepMs) => spanMs / stepMs <= wantedPoints);
  return known ?? steps["1h"];
}
