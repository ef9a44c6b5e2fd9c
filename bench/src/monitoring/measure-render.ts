import type { BenchmarkContext, BenchmarkResult, Table } from "../benchmark.ts";
import { BundledProgram } from "../bundled-program.ts";
import { megabytes, milliseconds } from "../format-table.ts";
import { MeasuredProcess } from "../measure-process.ts";
import { median } from "../median.ts";
import { monitorCounts, type RenderMeasurement } from "./measurement.ts";

const endpointsPerMonitor = 3;

/** What rendering costs, by the number of monitors. */
export async function measureRender({
  rounds,
  progress,
  signal,
}: BenchmarkContext): Promise<BenchmarkResult> {
  await using program = await BundledProgram.create(new URL("render-process.ts", import.meta.url));
  const measured = new Map<number, RenderMeasurement>();
  for (const count of monitorCounts) {
    progress(`rendering ${count} monitors`);
    const each: RenderMeasurement[] = [];
    for (let round = 0; round < rounds; round++) {
      signal.throwIfAborted();
      each.push(await measureOnce(program, count));
    }
    measured.set(count, medianOf(each));
  }
  return { ratios: {}, figures: figuresOf(measured), table: tableOf(measured) };
}

/** Each in a process of its own: what was rendered before would have warmed it up and filled its memory. */
async function measureOnce(program: BundledProgram, count: number): Promise<RenderMeasurement> {
  await using process = new MeasuredProcess(program.url, []);
  const measurement = await process.ask<RenderMeasurement>("render", count);
  if (measurement.jobs !== count * endpointsPerMonitor) {
    throw new Error(`${count} monitors became ${measurement.jobs} jobs`);
  }
  return measurement;
}

function medianOf(each: readonly RenderMeasurement[]): RenderMeasurement {
  const of = (pick: (measurement: RenderMeasurement) => number): number => median(each.map(pick));
  return {
    renderMs: of(({ renderMs }) => renderMs),
    cpuMs: of(({ cpuMs }) => cpuMs),
    warmMs: of(({ warmMs }) => warmMs),
    peakRssBytes: of(({ peakRssBytes }) => peakRssBytes),
    configBytes: of(({ configBytes }) => configBytes),
    jobs: of(({ jobs }) => jobs),
  };
}

function figuresOf(measured: ReadonlyMap<number, RenderMeasurement>): Record<string, number> {
  const figures: Record<string, number> = {};
  for (const [count, { renderMs, cpuMs, warmMs, peakRssBytes, configBytes }] of measured) {
    figures[`render${count}Ms`] = renderMs;
    figures[`render${count}CpuMs`] = cpuMs;
    figures[`renderWarm${count}Ms`] = warmMs;
    // The goal is about a thousand, so that one has the plain name.
    figures[count === 1000 ? "renderRssBytes" : `render${count}RssBytes`] = peakRssBytes;
    figures[`render${count}ConfigBytes`] = configBytes;
  }
  return figures;
}

function tableOf(measured: ReadonlyMap<number, RenderMeasurement>): Table {
  return {
    columns: ["monitors", "jobs", "first render", "CPU", "warm", "peak RSS", "configuration"],
    rows: [...measured].map(([count, measurement]) => [
      String(count),
      String(measurement.jobs),
      milliseconds(measurement.renderMs),
      milliseconds(measurement.cpuMs),
      milliseconds(measurement.warmMs),
      megabytes(measurement.peakRssBytes),
      megabytes(measurement.configBytes),
    ]),
  };
}
