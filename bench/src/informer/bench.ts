import { connect, KubeClient, loadKubeconfig } from "@bowline/kube";
import { startApiServer, type ApiServer } from "@bowline/test-cluster";

import { BundledProgram } from "../bundled-program.ts";
import type { Benchmark, BenchmarkContext, BenchmarkResult } from "../benchmark.ts";
import { megabytes, milliseconds } from "../format-table.ts";
import { MeasuredProcess } from "../measure-process.ts";
import { median, percentile } from "../median.ts";
import { apiServerRelease } from "../needs.ts";
import { loadPods, updatePods } from "./load-pods.ts";
import { updateCount, type MemoryUse, type SyncMeasurement, type UpdatesMeasurement } from "./measurement.ts";

type Client = "bowline" | "clientNode";

const smallCount = 10_000;
const largeCount = 50_000;
const updatesPerSecond = 500;

interface Round {
  readonly sync: SyncMeasurement;
  readonly relisted: MemoryUse;
  readonly updates: UpdatesMeasurement;
}

export const informerBenchmark: Benchmark = {
  description: `Syncs ${smallCount} pods of about 8 KB from a real API server, beside @kubernetes/client-node, then ${largeCount}.`,
  needs: { programs: [], apiServer: "required" },
  async run(context) {
    await using bowline = await BundledProgram.create(new URL("bowline-process.ts", import.meta.url));
    await using clientNode = await BundledProgram.create(new URL("client-node-process.ts", import.meta.url));
    await using server = await startApiServer({ kubernetes: apiServerRelease });
    const transport = connect(await loadKubeconfig({ paths: [server.kubeconfigPath] }));
    await using _open = { [Symbol.asyncDispose]: () => transport.close() };
    const client = new KubeClient(transport);
    context.progress(`API server ${server.version} is up; loading ${smallCount} pods`);
    await loadPods(client, 0, smallCount, context);
    const rounds: Record<Client, Round[]> = { bowline: [], clientNode: [] };
    for (let round = 1; round <= context.rounds; round++) {
      context.progress(`round ${round} of ${context.rounds}: bowline`);
      rounds.bowline.push(await measureRound(bowline, server, client, context));
      context.progress(`round ${round} of ${context.rounds}: @kubernetes/client-node`);
      rounds.clientNode.push(await measureRound(clientNode, server, client, context));
    }
    context.progress("bowline once more, with the heap as Node sets it");
    const defaultHeap = await measureSync(bowline, server, { count: smallCount, args: ["default-heap"] });
    context.progress(`loading up to ${largeCount} pods`);
    await loadPods(client, smallCount, largeCount, context);
    context.progress(`syncing ${largeCount} pods`);
    const large = await measureSync(bowline, server, { count: largeCount, args: [] });
    return summarize(rounds, defaultHeap, large);
  },
};

async function measureRound(
  program: BundledProgram,
  server: ApiServer,
  client: KubeClient,
  { signal }: BenchmarkContext,
): Promise<Round> {
  await using measured = new MeasuredProcess(program.url, [server.kubeconfigPath]);
  const sync = await measured.ask<SyncMeasurement>("sync");
  checkCount(sync, smallCount);
  const relisted = await measured.ask<MemoryUse>("relists");
  const [updates] = await Promise.all([
    measured.ask<UpdatesMeasurement>("updates"),
    updatePods(client, updateCount, updatesPerSecond, signal),
  ]);
  return { sync, relisted, updates };
}

async function measureSync(
  program: BundledProgram,
  server: ApiServer,
  { count, args }: { readonly count: number; readonly args: readonly string[] },
): Promise<SyncMeasurement> {
  await using measured = new MeasuredProcess(program.url, [server.kubeconfigPath, ...args]);
  const sync = await measured.ask<SyncMeasurement>("sync");
  checkCount(sync, count);
  return sync;
}

function checkCount(sync: SyncMeasurement, expected: number): void {
  if (sync.objects !== expected) throw new Error(`Synced ${sync.objects} pods, but ${expected} exist`);
}

function summarize(
  rounds: Record<Client, Round[]>,
  defaultHeap: SyncMeasurement,
  large: SyncMeasurement,
): BenchmarkResult {
  const ours = medians(rounds.bowline);
  const theirs = medians(rounds.clientNode);
  return {
    ratios: {
      rssVsClientNode: ours.rssBytes / theirs.rssBytes,
      peakVsClientNode: ours.peakRssBytes / theirs.peakRssBytes,
      syncVsClientNode: ours.syncMs / theirs.syncMs,
      rssGrowthAfterRelists: ours.relistedRssBytes / ours.rssBytes,
      updateCpuVsClientNode: ours.updateCpuMs / theirs.updateCpuMs,
    },
    figures: {
      ...prefixed("bowline", ours),
      ...prefixed("clientNode", theirs),
      bowlineDefaultHeapRssBytes: defaultHeap.rssBytes,
      bowlineDefaultHeapPeakRssBytes: defaultHeap.peakRssBytes,
      bowlineDefaultHeapSyncMs: defaultHeap.syncMs,
      rssGrowthTo50000: large.rssBytes / ours.rssBytes,
      bowline50000SyncMs: large.syncMs,
      bowline50000RssBytes: large.rssBytes,
      bowline50000PeakRssBytes: large.peakRssBytes,
      bowline50000HeapBytes: large.heapBytes,
    },
    table: {
      columns: [
        "10,000 pods",
        "sync",
        "RSS",
        "peak",
        "heap",
        "RSS after 5 relists",
        "CPU of 5,000 updates",
        "latency p50",
        "p99",
      ],
      rows: [tableRow("bowline", ours), tableRow("@kubernetes/client-node", theirs)],
    },
  };
}

type Medians = ReturnType<typeof medians>;

function medians(rounds: readonly Round[]) {
  const of = (pick: (round: Round) => number): number => median(rounds.map(pick));
  return {
    syncMs: of(({ sync }) => sync.syncMs),
    rssBytes: of(({ sync }) => sync.rssBytes),
    peakRssBytes: of(({ sync }) => sync.peakRssBytes),
    heapBytes: of(({ sync }) => sync.heapBytes),
    relistedRssBytes: of(({ relisted }) => relisted.rssBytes),
    relistedPeakRssBytes: of(({ relisted }) => relisted.peakRssBytes),
    relistedHeapBytes: of(({ relisted }) => relisted.heapBytes),
    updateCpuMs: of(({ updates }) => updates.cpuMs),
    updateP50Ms: of(({ updates }) => percentile(updates.latenciesMs, 0.5)),
    updateP99Ms: of(({ updates }) => percentile(updates.latenciesMs, 0.99)),
  };
}

function prefixed(prefix: string, values: Medians): Record<string, number> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      `${prefix}${name.charAt(0).toUpperCase()}${name.slice(1)}`,
      value,
    ]),
  );
}

function tableRow(name: string, values: Medians): string[] {
  return [
    name,
    milliseconds(values.syncMs),
    megabytes(values.rssBytes),
    megabytes(values.peakRssBytes),
    megabytes(values.heapBytes),
    megabytes(values.relistedRssBytes),
    milliseconds(values.updateCpuMs),
    milliseconds(values.updateP50Ms),
    milliseconds(values.updateP99Ms),
  ];
}
