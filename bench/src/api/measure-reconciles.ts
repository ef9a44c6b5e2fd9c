import { join } from "node:path";

import { createTempFolder, startNats, startPostgres } from "@bowline/test-services";

import type { BenchmarkContext } from "../benchmark.ts";
import type { BundledProgram } from "../bundled-program.ts";
import { MeasuredProcess } from "../measure-process.ts";
import type { LoadMeasurement } from "./measurement.ts";

/** Keys a second whose objects are as they should be. */
export interface ReconcilesMeasurement {
  readonly inProcess: readonly number[];
  readonly jetStream: readonly number[];
}

/** Within the process on SQLite; through JetStream on PostgreSQL, where several servers share the work by leases. */
export async function measureReconciles(
  program: BundledProgram,
  context: BenchmarkContext,
): Promise<ReconcilesMeasurement> {
  context.progress("reconciles in process, on SQLite");
  await using folder = await createTempFolder("bench-reconcile");
  const inProcess = await measure(program, [join(folder.path, "bowline.db")], context);
  context.progress("reconciles through JetStream, on PostgreSQL");
  await using postgres = await startPostgres({ durable: true });
  await using nats = await startNats({ jetstream: true });
  return { inProcess, jetStream: await measure(program, [postgres.url, nats.url], context) };
}

/** The first round warms it up and is not counted. */
async function measure(
  program: BundledProgram,
  places: readonly string[],
  { rounds, signal }: BenchmarkContext,
): Promise<number[]> {
  await using measured = new MeasuredProcess(program.url, places);
  await measured.ask("start");
  const perSecond: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    signal.throwIfAborted();
    const { requests, elapsedMs } = await measured.ask<LoadMeasurement>("reconcile");
    perSecond.push((requests * 1000) / elapsedMs);
  }
  return perSecond.slice(1);
}
