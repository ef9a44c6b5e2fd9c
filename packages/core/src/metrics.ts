import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";

import { checkMetricName } from "./metric-name.ts";

export type { Counter, Gauge, Histogram };

export interface MetricOptions<Label extends string> {
  readonly name: string;
  readonly help: string;
  /** Each value of each label is a time series of its own: never the name of an object in a cluster. */
  readonly labelNames?: readonly Label[];
}

export interface GaugeOptions<Label extends string> extends MetricOptions<Label> {
  /** Sets the gauge when it is read, for a number that something else keeps anyway. */
  readonly collect?: (gauge: Gauge<Label>) => void | Promise<void>;
}

export interface HistogramOptions<Label extends string> extends MetricOptions<Label> {
  /** Upper limits in the unit the name ends in. */
  readonly buckets: readonly number[];
  /** Called before the histogram is read, for what has been gathered to be observed. */
  readonly collect?: () => void;
}

export interface BuildInfo {
  readonly version: string;
  readonly revision: string;
}

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
    collectDefaultMetrics({ register: this.#registry });
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
