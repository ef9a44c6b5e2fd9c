import type { BenchmarkResult, Table } from "../benchmark.ts";
import { milliseconds } from "../format-table.ts";
import type { LoadResult } from "./load-order.ts";
import type { ApiServerMeasurement } from "./measure-api-server.ts";
import type { LinkMeasurement } from "./measure-links.ts";
import type { NginxMeasurement } from "./measure-nginx.ts";
import type { ReplicasMeasurement } from "./measure-replicas.ts";
import type { StalledMeasurement } from "./measure-stalled.ts";
import type { Measured, Turns } from "./turns.ts";

export interface TunnelMeasurement {
  readonly nginx: NginxMeasurement;
  readonly links: readonly LinkMeasurement[];
  readonly stalled: StalledMeasurement;
  readonly replicas: ReplicasMeasurement;
  readonly apiServer: ApiServerMeasurement | undefined;
}

type Requests = Turns<LoadResult>;

const rps = ({ value }: Measured<LoadResult>): number => value.requestsPerSecond;
const p50Ms = ({ value }: Measured<LoadResult>): number => value.p50Ms;
const p99Ms = ({ value }: Measured<LoadResult>): number => value.p99Ms;
const cpuMicros = ({ value, cpuSeconds }: Measured<LoadResult>): number =>
  (cpuSeconds * 1e6) / value.requests;
const speed = ({ value }: Measured<number>): number => value;
const cpuMs = ({ cpuSeconds }: Measured<number>): number => cpuSeconds * 1000;

export function summarize(measured: TunnelMeasurement): BenchmarkResult {
  return { ratios: ratiosOf(measured), figures: figuresOf(measured), table: tableOf(measured) };
}

function ratiosOf(measured: TunnelMeasurement): Record<string, number> {
  const { nginx, links, stalled, replicas, apiServer } = measured;
  const far = links.find(({ roundTripMs }) => roundTripMs === 50);
  return known({
    rpsVsOneHop: nginx.some.ratio("Bowline", "one hop", rps),
    p50VsOneHop: nginx.one.ratio("Bowline", "one hop", p50Ms),
    bulkVsOneHop: nginx.down.ratio("Bowline", "one hop", speed),
    tenDownloadsVsOneHop: nginx.tenDown.ratio("Bowline", "one hop", speed),
    uploadVsOneHop: nginx.up.ratio("Bowline", "one hop", speed),
    tenUploadsVsOneHop: nginx.tenUp.ratio("Bowline", "one hop", speed),
    cpuPerRequestVsOneHop: nginx.some.ratio("Bowline", "one hop", cpuMicros),
    cpuPerDownloadVsOneHop: nginx.down.ratio("Bowline", "one hop", cpuMs),
    rpsVsKubectlProxy: nginx.some.ratio("Bowline", "kubectl proxy", rps),
    apiServerRpsVsOneHop: apiServer?.some.ratio("Bowline", "one hop", rps),
    apiServerRpsVsKubectlProxy: apiServer?.some.ratio("Bowline", "kubectl proxy", rps),
    bulk50msVsTcp: far?.down.ratio("Bowline", "TCP", speed),
    upload50msVsTcp: far?.up.ratio("Bowline", "TCP", speed),
    healthyBesideStalled: stalled.healthyBesideStalled,
    relayedRpsVsHeld: replicas.some.ratio("relayed", "held", rps),
    relayedP50VsHeld: replicas.one.ratio("relayed", "held", p50Ms),
    relayedBulkVsHeld: replicas.down.ratio("relayed", "held", speed),
    relayedUploadVsHeld: replicas.up.ratio("relayed", "held", speed),
    relayedCpuPerRequestVsHeld: replicas.some.ratio("relayed", "held", cpuMicros),
  });
}

function figuresOf({ nginx, stalled }: TunnelMeasurement): Record<string, number> {
  return known({
    requestsPerSecond: nginx.some.median("Bowline", rps),
    requestCpuMicros: nginx.some.median("Bowline", cpuMicros),
    p50Ms: nginx.one.median("Bowline", p50Ms),
    p99Ms: nginx.one.median("Bowline", p99Ms),
    downloadMegabytesPerSecond: nginx.down.median("Bowline", speed),
    downloadCpuMs: nginx.down.median("Bowline", cpuMs),
    uploadMegabytesPerSecond: nginx.up.median("Bowline", speed),
    stalledHeldBytes: stalled.heldBytes,
  });
}

/** What could be measured here. */
function known(numbers: Readonly<Record<string, number | undefined>>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(numbers).flatMap(([name, value]) =>
      value === undefined || Number.isNaN(value) ? [] : [[name, value]],
    ),
  );
}

const columns = [
  "way",
  "req/s at 1",
  "at 32",
  "at 256",
  "CPU",
  "p50 at 1",
  "p99 at 1",
  "p99 at 32",
  "MB/s down",
  "10 down",
  "up",
  "10 up",
  "CPU/100 MB",
];

function tableOf({ nginx, links, replicas, apiServer }: TunnelMeasurement): Table {
  const rows = nginx.ways.map((way) => row(way, { way, ...nginx }));
  for (const { roundTripMs, ...link } of links) {
    for (const way of ["TCP", "Bowline"]) rows.push(row(`${way}, ${roundTripMs} ms`, { way, ...link }));
  }
  rows.push(row("replicas: held, 1 server", { way: "held", ...replicas }));
  rows.push(row("replicas: relayed, 2 servers", { way: "relayed", ...replicas }));
  for (const way of apiServer?.ways ?? [])
    rows.push(row(`API server: ${way}`, { way, one: apiServer?.one, some: apiServer?.some }));
  return { columns, rows };
}

interface RowTurns {
  /** Its name among the turns. */
  readonly way: string;
  readonly one?: Requests | undefined;
  readonly some?: Requests | undefined;
  readonly many?: Requests | undefined;
  readonly down?: Turns<number> | undefined;
  readonly tenDown?: Turns<number> | undefined;
  readonly up?: Turns<number> | undefined;
  readonly tenUp?: Turns<number> | undefined;
}

function row(title: string, { way, one, some, many, down, tenDown, up, tenUp }: RowTurns): string[] {
  return [
    title,
    cell(one?.median(way, rps), whole),
    cell(some?.median(way, rps), whole),
    cell(many?.median(way, rps), whole),
    cell(some?.median(way, cpuMicros), (micros) => `${whole(micros)} µs`),
    cell(one?.median(way, p50Ms), milliseconds),
    cell(one?.median(way, p99Ms), milliseconds),
    cell(some?.median(way, p99Ms), milliseconds),
    cell(down?.median(way, speed), whole),
    cell(tenDown?.median(way, speed), whole),
    cell(up?.median(way, speed), whole),
    cell(tenUp?.median(way, speed), whole),
    cell(down?.median(way, cpuMs), milliseconds),
  ];
}

/** Nothing for what was not measured, or costs nothing because nothing is in between. */
function cell(value: number | undefined, format: (value: number) => string): string {
  return value === undefined || Number.isNaN(value) || value === 0 ? "" : format(value);
}

function whole(value: number): string {
  return value.toFixed(0);
}
