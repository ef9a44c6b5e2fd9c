import { asRecord, isRecord } from "@bowline/core";

import { clusterPath } from "./places.ts";

/** A Prometheus inside a cluster: a port of a Service. */
export interface PrometheusService {
  readonly namespace: string;
  readonly name: string;
  readonly port: string;
  readonly isTls: boolean;
}

export interface RangeQuery {
  readonly query: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly stepMs: number;
}

/** Lines of a chart: one time axis for all, with holes where a line has no sample. */
export interface Chart {
  /** Seconds since 1970. */
  readonly times: readonly number[];
  readonly series: readonly ChartSeries[];
  /** How many lines there were, also those that were left off. */
  readonly seriesCount: number;
  readonly warnings: readonly string[];
}

export interface ChartSeries {
  readonly name: string;
  /** One for each time. */
  readonly values: readonly (number | null)[];
}

/** More lines tell nobody anything, and a cluster may send as many as it likes. */
const maxSeries = 50;
const maxPoints = 11_000;

/** As API servers lead to services: the answer comes from inside of the cluster. */
export function rangePath(cluster: string, service: PrometheusService, range: RangeQuery): string {
  const { namespace, name, port, isTls } = service;
  const query = new URLSearchParams({
    query: range.query,
    start: String(range.startMs / 1_000),
    end: String(range.endMs / 1_000),
    step: String(range.stepMs / 1_000),
  });
  const target = encodeURIComponent(`${isTls ? "https" : "http"}:${name}:${port}`).replaceAll("%3A", ":");
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/services/${target}/proxy/api/v1/query_range`;
  return `${clusterPath(cluster, path)}?${query.toString()}`;
}

/** Reads `namespace/name:port`, with `https:` before the name where it is so; undefined for what is none. */
export function parseService(text: string): PrometheusService | undefined {
  const match = /^([a-z0-9-]{1,63})\/(https:)?([a-z0-9-]{1,63}):([a-z0-9-]{1,15})$/u.exec(text);
  if (match === null) return undefined;
  const [, namespace = "", scheme, name = "", port = ""] = match;
  return { namespace, name, port, isTls: scheme !== undefined };
}

export function printService({ namespace, name, port, isTls }: PrometheusService): string {
  return `${namespace}/${isTls ? "https:" : ""}${name}:${port}`;
}

/** The Services of a list that look like a Prometheus: by name, label or port. */
export function findPrometheus(list: unknown): PrometheusService[] {
  const items = asRecord(list)["items"];
  if (!Array.isArray(items)) return [];
  return items.flatMap((item: unknown) => {
    const { name, namespace, labels } = asRecord(asRecord(item)["metadata"]);
    if (typeof name !== "string" || typeof namespace !== "string") return [];
    const isNamed =
      /prometheus|thanos-quer|victoria|mimir-query/u.test(name) ||
      asRecord(labels)["app.kubernetes.io/name"] === "prometheus";
    const ports = asRecord(asRecord(item)["spec"])["ports"];
    const known: readonly unknown[] = Array.isArray(ports) ? ports : [];
    const numbers = known.map((port) => asRecord(port)["port"]).filter((port) => typeof port === "number");
    const port = numbers.find((number) => number === 9090) ?? (isNamed ? numbers[0] : undefined);
    return port === undefined ? [] : [{ namespace, name, port: String(port), isTls: false }];
  });
}

/**
 * The answer of `query_range`. It comes from a cluster, so nothing about it is believed: what is no number is a hole,
 * what is too much is left off, and an answer of another shape is an error with the words of whoever answered.
 */
export function readRange(answer: unknown, { startMs, endMs, stepMs }: RangeQuery): Chart {
  const { status, data, error, warnings } = asRecord(answer);
  if (status !== "success") {
    throw new Error(typeof error === "string" && error !== "" ? error : "The answer is none of Prometheus.");
  }
  const { resultType, result } = asRecord(data);
  if (resultType !== "matrix" || !Array.isArray(result)) {
    throw new Error("The question has no answer over time: it has to give a vector or a number.");
  }
  const count = Math.min(maxPoints, Math.max(1, Math.floor((endMs - startMs) / stepMs) + 1));
  const times = Array.from({ length: count }, (_, index) => (startMs + index * stepMs) / 1_000);
  const series = result.slice(0, maxSeries).map((entry: unknown) => {
    const { metric, values } = asRecord(entry);
    return { name: seriesName(metric), values: valuesAt(values, { startMs, stepMs, count }) };
  });
  const said: readonly unknown[] = Array.isArray(warnings) ? warnings : [];
  return {
    times,
    series,
    seriesCount: result.length,
    warnings: said.filter((text) => typeof text === "string").slice(0, 5),
  };
}

interface Axis {
  readonly startMs: number;
  readonly stepMs: number;
  readonly count: number;
}

function valuesAt(samples: unknown, { startMs, stepMs, count }: Axis): (number | null)[] {
  const values = Array.from({ length: count }, (): number | null => null);
  if (!Array.isArray(samples)) return values;
  for (const sample of samples.slice(0, maxPoints)) {
    const [time, value]: readonly unknown[] = Array.isArray(sample) ? sample : [];
    if (typeof time !== "number" || typeof value !== "string") continue;
    const index = Math.round((time * 1_000 - startMs) / stepMs);
    // NaN and infinities have no place on an axis.
    const number = Number(value);
    if (index >= 0 && index < count && value !== "" && Number.isFinite(number)) values[index] = number;
  }
  return values;
}

const maxNameLength = 200;

/** As Prometheus writes it: `up{job="web"}`. */
function seriesName(metric: unknown): string {
  if (!isRecord(metric)) return "value";
  const { __name__: name, ...labels } = metric;
  const parts = Object.entries(labels).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  const text = `${typeof name === "string" ? name : ""}${parts.length === 0 ? "" : `{${parts.join(", ")}}`}`;
  const shown = text === "" ? "value" : text;
  return shown.length > maxNameLength ? `${shown.slice(0, maxNameLength)}…` : shown;
}
