import type { BenchmarkResult } from "../benchmark.ts";
import { megabytes, milliseconds } from "../format-table.ts";
import { median } from "../median.ts";
import type { DatabaseMeasurement } from "./measure-database.ts";
import type { ListsSlice } from "./measure-lists.ts";
import type { Rate } from "./measure-rate.ts";
import type { ReconcilesMeasurement } from "./measure-reconciles.ts";
import type { Pair } from "./measure-requests.ts";
import type { LatencyMeasurement } from "./measurement.ts";

export interface ApiMeasurement {
  readonly sqlite: DatabaseMeasurement;
  readonly postgres: DatabaseMeasurement;
  readonly reconciles: ReconcilesMeasurement;
}

export function summarize({ sqlite, postgres, reconciles }: ApiMeasurement): BenchmarkResult {
  const [onSqlite, onPostgres] = [figuresOf(sqlite), figuresOf(postgres)];
  return {
    ratios: { ...suffixed(ratiosOf(sqlite), "Sqlite"), ...suffixed(ratiosOf(postgres), "Postgres") },
    figures: {
      ...suffixed(onSqlite, "Sqlite"),
      ...suffixed(onPostgres, "Postgres"),
      reconcilesPerSecondInProcess: median(reconciles.inProcess),
      reconcilesPerSecondJetStream: median(reconciles.jetStream),
    },
    table: {
      columns: ["", "SQLite", "PostgreSQL"],
      rows: Object.entries(onSqlite).map(([name, value]) => [
        name,
        formatFigure(name, value),
        formatFigure(name, onPostgres[name] ?? Number.NaN),
      ]),
    },
  };
}

/** Of each pair, then the median: both sides of a pair were measured within a second of each other. */
function ratiosOf({ requests, lists }: DatabaseMeasurement): Record<string, number> {
  const vsEcho = ({ bowline, echo }: Pair): number => bowline.perSecond / echo.perSecond;
  return {
    createsVsEcho: median(requests.creates.map(vsEcho)),
    getsVsEcho: median(requests.gets.map(vsEcho)),
    listLargeVsSmall: Math.max(
      median(lists.map(({ smallFirst, largeFirst }) => smallFirst.perSecond / largeFirst.perSecond)),
      median(lists.map(({ smallMiddle, largeMiddle }) => smallMiddle.perSecond / largeMiddle.perSecond)),
    ),
  };
}

function figuresOf(measured: DatabaseMeasurement): Record<string, number> {
  const { requests, lists, latencies } = measured;
  const lists100 = (pick: (slice: ListsSlice) => Rate): number =>
    median(lists.map((slice) => pick(slice).perSecond));
  return {
    ...pairFigures("creates", "create", requests.creates),
    ...pairFigures("gets", "get", requests.gets),
    listsPerSecondFirstOf1000: lists100(({ smallFirst }) => smallFirst),
    listsPerSecondFirstOf100000: lists100(({ largeFirst }) => largeFirst),
    listsPerSecondMiddleOf1000: lists100(({ smallMiddle }) => smallMiddle),
    listsPerSecondMiddleOf100000: lists100(({ largeMiddle }) => largeMiddle),
    ...latencyFigures("changeToWatcher", latencies.toWatcher),
    ...latencyFigures("changeToController", latencies.toController),
    changesPerSecond: latencies.changesPerSecond,
    rssAtRestBytes: measured.rssAtRestBytes,
    rssOf100000Bytes: measured.rssAtEndBytes,
  };
}

function pairFigures(many: string, one: string, pairs: readonly Pair[]): Record<string, number> {
  const of = (pick: (pair: Pair) => number): number => median(pairs.map(pick));
  return {
    [`${many}PerSecond`]: of(({ bowline }) => bowline.perSecond),
    [`${one}CpuMicros`]: of(({ bowline }) => bowline.cpuMicros),
    [`echo${capitalized(many)}PerSecond`]: of(({ echo }) => echo.perSecond),
    [`echo${capitalized(one)}CpuMicros`]: of(({ echo }) => echo.cpuMicros),
  };
}

function latencyFigures(name: string, rounds: readonly LatencyMeasurement[]): Record<string, number> {
  return {
    [`${name}P50Ms`]: median(rounds.map(({ p50Ms }) => p50Ms)),
    [`${name}P99Ms`]: median(rounds.map(({ p99Ms }) => p99Ms)),
  };
}

function suffixed(values: Readonly<Record<string, number>>, suffix: string): Record<string, number> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [`${name}${suffix}`, value]));
}

function capitalized(word: string): string {
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
}

function formatFigure(name: string, value: number): string {
  if (name.endsWith("Bytes")) return megabytes(value);
  return name.endsWith("Ms") ? milliseconds(value) : String(Math.round(value));
}
