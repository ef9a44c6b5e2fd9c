import { setTimeout as sleep } from "node:timers/promises";

import type { BenchmarkContext } from "../benchmark.ts";
import type { BundledProgram } from "../bundled-program.ts";
import { MeasuredProcess } from "../measure-process.ts";
import { clusterName } from "./bench-cluster.ts";
import { createDatabase, databaseNames, type DatabaseType } from "./database.ts";
import { MeasuredEcho } from "./measured-echo.ts";
import { MeasuredServer } from "./measured-server.ts";
import { measureLatencies, type LatenciesMeasurement } from "./measure-latencies.ts";
import { measureLists, type ListsSlice } from "./measure-lists.ts";
import { measureRate } from "./measure-rate.ts";
import { measureRequests, type RequestsMeasurement } from "./measure-requests.ts";
import { largeCount, smallCount, type Stage } from "./stage.ts";

export interface DatabaseMeasurement {
  readonly requests: RequestsMeasurement;
  readonly lists: readonly ListsSlice[];
  readonly latencies: LatenciesMeasurement;
  readonly rssAtRestBytes: number;
  /** Of the server with many objects, after everything. */
  readonly rssAtEndBytes: number;
}

export interface ApiPrograms {
  readonly server: BundledProgram;
  readonly echo: BundledProgram;
  readonly load: BundledProgram;
  readonly fill: BundledProgram;
}

/** What an idle process gives back to the system it gives back within this time. */
const restMs = 1000;
const fillLimitMs = 60_000;

/** With two servers, one that has few objects and one that has many, so that lists are measured in turns. */
export async function measureDatabase(
  type: DatabaseType,
  programs: ApiPrograms,
  context: BenchmarkContext,
): Promise<DatabaseMeasurement> {
  context.progress(`a server with ${smallCount} objects on ${databaseNames[type]}`);
  await using load = new MeasuredProcess(programs.load.url, []);
  await using watching = new MeasuredProcess(programs.load.url, []);
  const stage: Stage = { context, load, watching };
  await using smallDatabase = await createDatabase(type);
  await using small = await MeasuredServer.start(programs.server, smallDatabase.flags);
  const rssAtRestBytes = await restingRss(small);
  await measureRate(stage, small, "create", { from: 0, to: smallCount, durationMs: fillLimitMs });
  await small.settled(smallCount, context.signal);
  const example = await small.get(clusterName(0));

  context.progress(`a server with ${largeCount} objects`);
  await using largeDatabase = await createDatabase(type);
  await fill(programs.fill, largeDatabase.place, example.status);
  await using large = await MeasuredServer.start(programs.server, largeDatabase.flags);
  await using echo = await MeasuredEcho.start(programs.echo, example, small.token);

  const requests = await measureRequests(stage, { small, large, echo });
  const latencies = await measureLatencies(stage, small);
  const lists = await measureLists(stage, { small, large });
  return { requests, lists, latencies, rssAtRestBytes, rssAtEndBytes: await restingRss(large) };
}

async function fill(program: BundledProgram, place: string, status: unknown): Promise<void> {
  await using filling = new MeasuredProcess(program.url, [place]);
  await filling.ask("fill", { count: largeCount, status });
}

async function restingRss(server: MeasuredServer): Promise<number> {
  await sleep(restMs);
  return (await server.use()).rssBytes;
}
