import { setTimeout as sleep } from "node:timers/promises";

import type { JoinOrder } from "../agents/fleet-order.ts";
import type { DatabaseType } from "../api/database.ts";
import { databaseNames } from "../api/database.ts";
import type { BenchmarkContext } from "../benchmark.ts";
import { createTempFolder, startPostgres } from "@bowline/test-services";
import { MeasuredProcess } from "../measure-process.ts";
import { median } from "../median.ts";
import { ask } from "../tunnel/ask.ts";
import { cpuSeconds } from "../tunnel/cpu-seconds.ts";
import { ProductServer } from "../tunnel/product-server.ts";
import { deploy } from "./instances.ts";
import type { Programs } from "./programs.ts";
import type { ReportOrder, ReportResult } from "./report-process.ts";
import { sampleDeployment } from "./sample-workload.ts";

export interface IngestMeasurement {
  readonly perSecond: number;
  /** The same rows, inserted without a server. */
  readonly insertsPerSecond: number;
  /** Of the server, for each event. */
  readonly cpuMicroseconds: number;
}

const agents = 8;
const eventsPerAgent = 12_500;
const warmUpEvents = 1_500;
const instance = "shop";
const placedLimitMs = 30_000;

/** Events a second that a server takes from the reports of several agents, each event a new one. */
export async function measureIngest(
  type: DatabaseType,
  programs: Programs,
  context: BenchmarkContext,
): Promise<IngestMeasurement> {
  const { rounds, progress, signal } = context;
  progress(`events are reported to a server on ${databaseNames[type]}`);
  await using owned = new AsyncDisposableStack();
  const { path: dataFolder } = owned.use(await createTempFolder("bench-ingest"));
  const url = type === "sqlite" ? undefined : owned.use(await startPostgres({ durable: true })).url;
  const flags = url === undefined ? [] : [`--database-url=${url}`];
  const measured: { readonly perSecond: number; readonly cpuMicroseconds: number }[] = [];
  {
    await using server = await ProductServer.start({ program: programs.server, dataFolder, flags });
    await using reporting = new MeasuredProcess(new URL("report-process.ts", import.meta.url), []);
    await prepare(server, reporting, signal);
    const report = (round: number, count: number): Promise<ReportResult> =>
      reporting.ask<ReportResult>("report", { round, instance, eventsPerAgent: count } satisfies ReportOrder);
    await report(0, warmUpEvents);
    for (let round = 1; round <= rounds; round++) {
      signal.throwIfAborted();
      const cpuBefore = await cpuSeconds([server.pid]);
      const { events, seconds } = await report(round, eventsPerAgent);
      const cpu = (await cpuSeconds([server.pid])) - cpuBefore;
      measured.push({ perSecond: events / seconds, cpuMicroseconds: (cpu * 1e6) / events });
    }
  }
  await using inserting = new MeasuredProcess(new URL("insert-process.ts", import.meta.url), [
    url ?? `${dataFolder}/bowline.db`,
  ]);
  return {
    perSecond: median(measured.map(({ perSecond }) => perSecond)),
    cpuMicroseconds: median(measured.map(({ cpuMicroseconds }) => cpuMicroseconds)),
    insertsPerSecond: await inserting.ask<number>("insert"),
  };
}

/** Clusters that have joined, with an instance in each: nobody is let into them, so nothing else happens there. */
async function prepare(
  server: ProductServer,
  reporting: MeasuredProcess,
  signal: AbortSignal,
): Promise<void> {
  const clusters = await Promise.all(Array.from({ length: agents }, () => server.addClosedCluster()));
  await reporting.ask("join", { tokens: clusters.map(({ joinToken }) => joinToken) } satisfies JoinOrder);
  const names = clusters.map(({ name }) => name);
  await deploy(server.api, [{ name: instance, clusters: names, objects: [sampleDeployment(instance)] }]);
  const endMs = performance.now() + placedLimitMs;
  for (;;) {
    const answer = await ask(server.api, { path: "/api/v1/workloadplacements?limit=100" });
    const { items }: { readonly items: readonly unknown[] } = JSON.parse(answer);
    if (items.length === agents) return;
    if (performance.now() > endMs) throw new Error(`${items.length} of ${agents} placements were made`);
    await sleep(100, undefined, { signal });
  }
}
