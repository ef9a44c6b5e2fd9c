import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";

import { BowlineError } from "./bowline-error.ts";

export type { Counter, Gauge, Histogram };

interface MetricOptions<Label extends string> {
  readonly name: string;
  readonly help: string;
  /** Each value of each label is a time series of its own: never the name of an object in a cluster. */
  readonly labelNames?: readonly Label[];
}

interface GaugeOptions<Label extends string> extends MetricOptions<Label> {
  /** Sets the gauge when it is read, for a number that something else keeps anyway. */
  readonly collect?: (gauge: Gauge<Label>) => void | Promise<void>;
}

interface HistogramOptions<Label extends string> extends MetricOptions<Label> {
  /** Upper limits in the unit the name ends in. */
  readonly buckets: readonly number[];
  /** Called before the histogram is read, for what has been gathered to be observed. */
  readonly collect?: () => void;
}

interface BuildInfo {
  readonly version: string;
  readonly revision: string;
}

/**
 * How often the event loop is looked at. Every 10 ms, as by default, wakes a process a hundred times a second for nothing
 * else, which was most of what an agent at rest used of the processor. It is also the least that the metric can say.
 */
const loopSampleMs = 50;

/**
 * The metrics of one process object. Each has its own registry, so two servers in one process, or two tests, do not see
 * each other's numbers.
 */
export class Metrics {
  readonly #registry = new Registry();

  constructor(build: BuildInfo) {
    this.gauge({
      name: "bowline_build_info",
      help: "What was built, as labels; the value is always 1.",
      labelNames: ["version", "revision"],
    }).set({ version: build.version, revision: build.revision }, 1);
  }

  counter<const Label extends string = never>(options: MetricOptions<Label>): Counter<Label> {
    return new Counter(this.#checked("counter", options));
  }

  gauge<const Label extends string = never>(options: GaugeOptions<Label>): Gauge<Label> {
    const { collect, ...rest } = options;
    const gauge: Gauge<Label> = new Gauge({
      ...this.#checked("gauge", rest),
      ...(collect === undefined ? {} : { collect: () => collect(gauge) }),
    });
    return gauge;
  }

  histogram<const Label extends string = never>(options: HistogramOptions<Label>): Histogram<Label> {
    const { buckets, collect } = options;
    return new Histogram({
      ...this.#checked("histogram", options),
      buckets: [...buckets],
      ...(collect === undefined ? {} : { collect }),
    });
  }

  /**
   * Adds `process_*` and `nodejs_*`. They watch the event loop and the garbage collector until the process ends, so
   * only the program itself calls this, once.
   */
  collectProcessMetrics(): void {
    collectDefaultMetrics({ register: this.#registry, eventLoopMonitoringPrecision: loopSampleMs });
  }

  /** The content type that goes with `text`. */
  get contentType(): string {
    return this.#registry.contentType;
  }

  /** All metrics as Prometheus reads them. */
  text(): Promise<string> {
    return this.#registry.metrics();
  }

  #checked<Label extends string>(
    kind: "counter" | "gauge" | "histogram",
    { name, help, labelNames = [] }: MetricOptions<Label>,
  ): { name: string; help: string; labelNames: readonly Label[]; registers: [Registry] } {
    checkMetricName(kind, name, labelNames);
    return { name, help, labelNames, registers: [this.#registry] };
  }
}

export type MetricKind = "counter" | "gauge" | "histogram";

/** Names the community knows: where the thing is the same, its dashboards and alerts keep working. */
const communityNames: ReadonlySet<string> = new Set([
  "workqueue_depth",
  "workqueue_adds_total",
  "workqueue_queue_duration_seconds",
  "workqueue_work_duration_seconds",
  "workqueue_unfinished_work_seconds",
  "workqueue_longest_running_processor_seconds",
  "workqueue_retries_total",
  "controller_runtime_reconcile_total",
  "controller_runtime_reconcile_errors_total",
  "controller_runtime_reconcile_time_seconds",
  "controller_runtime_active_workers",
  "controller_runtime_max_concurrent_reconciles",
  "rest_client_requests_total",
  "rest_client_request_duration_seconds",
  "leader_election_master_status",
]);

const ownName = /^bowline(?:_[a-z][a-z0-9]*)+$/;
const labelName = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/;
/** Prometheus counts in seconds, bytes and ratios; anything else has to be converted by each reader. */
const otherUnit =
  /_(?:ms|millis|milliseconds|us|micros|microseconds|ns|nanoseconds|minutes|hours|days|kb|mb|gb|kib|mib|gib|kilobytes|megabytes|percent)(?:_total)?$/;
const baseUnit = /_(?:seconds|bytes|ratio|objects|items|requests|events|frames)$/;
/** Prometheus appends these to the parts of a histogram. */
const reservedSuffix = /_(?:count|sum|bucket)$/;

/** Throws `InvalidArgument` for a name that breaks the conventions of Prometheus and of this product. */
export function checkMetricName(kind: MetricKind, name: string, labelNames: readonly string[]): void {
  const complaint = complaintAbout(kind, name) ?? complaintAboutLabels(labelNames);
  if (complaint === undefined) return;
  throw new BowlineError("InvalidArgument", `The ${kind} "${name}" ${complaint}.`);
}

function complaintAbout(kind: MetricKind, name: string): string | undefined {
  if (!ownName.test(name) && !communityNames.has(name)) {
    return 'must be named "bowline_…" in snake case, or be a name the community shares';
  }
  if (otherUnit.test(name)) return "must be measured in seconds, bytes or a ratio";
  if (reservedSuffix.test(name)) return "must not end like a part of a histogram (_count, _sum, _bucket)";
  const isTotal = name.endsWith("_total");
  if (kind === "counter" && !isTotal) return "must end in _total";
  if (kind !== "counter" && isTotal) return "must not end in _total, which says that it only grows";
  if (kind === "histogram" && !baseUnit.test(name))
    return "must end in what it measures, such as _seconds or _bytes";
  return undefined;
}

function complaintAboutLabels(labelNames: readonly string[]): string | undefined {
  const wrong = labelNames.find((label) => !labelName.test(label) || label === "le");
  return wrong === undefined ? undefined : `must not have the label "${wrong}": snake case, and not "le"`;
}
