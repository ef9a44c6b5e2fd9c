import type { Page } from "playwright-core";

import type { BenchmarkContext } from "../benchmark.ts";
import { percentile } from "../median.ts";
import { hasRows, seenAt, watchFrames, type Frames } from "./in-page.ts";
import { PageCounts, rowCount, rowsPath, table, type Stage } from "./stage.ts";
import type { ChangeOrder } from "./web-order.ts";

export interface ChangesMeasurement {
  readonly perSecond: number;
  readonly frames: Frames;
  /** Share of the time in which the main thread of the page had something to do. */
  readonly mainThread: number;
  /** The heap after the changes against the one after the first of them. */
  readonly heapGrowthRatio: number;
  readonly heapBytes: number;
  /** Of a plain list that is changed as often, by itself. */
  readonly plainFrames: Frames;
  readonly plainMainThread: number;
}

export const changesPerSecond = 1_000;
export const changeSeconds = 60;
const warmUpSeconds = 10;
const marks = 40;

/** Looks at a table of which a thousand rows change each second. */
export async function measureChanges(
  stage: Stage,
  { progress }: BenchmarkContext,
): Promise<ChangesMeasurement> {
  await using visit = await stage.signIn();
  const { page } = visit;
  await page.goto(visit.address(rowsPath), { waitUntil: "commit" });
  await page.evaluate(hasRows, { selector: table, count: rowCount });
  const change = (seconds: number): Promise<number> =>
    stage.source.ask<number>("change", {
      perSecond: changesPerSecond,
      seconds,
    } satisfies ChangeOrder);
  progress(`${changesPerSecond} changes/s for ${changeSeconds} s`);
  await change(warmUpSeconds);
  const counts = await PageCounts.of(page);
  const heapBefore = await counts.heapBytes();
  const [perSecond, watched] = await Promise.all([change(changeSeconds), watch(page, counts, table)]);
  const heapBytes = await counts.heapBytes();

  progress("the same with a plain list");
  const plain = await stage.openPlainList();
  await plain.evaluate(`change(${changesPerSecond})`);
  const plainWatched = await watch(plain, await PageCounts.of(plain), "#list");
  await plain.context().close();
  return {
    perSecond,
    ...watched,
    heapBytes,
    heapGrowthRatio: heapBytes / heapBefore,
    plainFrames: plainWatched.frames,
    plainMainThread: plainWatched.mainThread,
  };
}

async function watch(
  page: Page,
  counts: PageCounts,
  selector: string,
): Promise<Pick<ChangesMeasurement, "frames" | "mainThread">> {
  const busyBefore = await counts.taskSeconds();
  const durationMs = (changeSeconds - 1) * 1_000;
  const frames = await page.evaluate(watchFrames, { selector, durationMs, stepPx: 0 });
  return { frames, mainThread: ((await counts.taskSeconds()) - busyBefore) / (durationMs / 1_000) };
}

export interface PixelMeasurement {
  readonly p50Ms: number;
  readonly p95Ms: number;
}

/** From a change until it is painted, one after the other. */
export async function measurePixel(stage: Stage, { progress }: BenchmarkContext): Promise<PixelMeasurement> {
  progress(`${marks} changes until they are painted`);
  await using visit = await stage.signIn();
  const { page } = visit;
  await page.goto(visit.address(`${rowsPath}?q=row-0000`), { waitUntil: "commit" });
  await page.evaluate(hasRows, { selector: table, count: 10 });
  const latencies: number[] = [];
  for (let mark = 0; mark < marks; mark += 1) {
    const text = `mark-${mark}-`;
    const seen = page.evaluate(seenAt, { selector: table, text });
    const changedAtMs = await stage.source.ask<number>("mark", {
      index: mark % 10,
      text: `${text}x`,
    });
    latencies.push((await seen) - changedAtMs);
  }
  return { p50Ms: percentile(latencies, 0.5), p95Ms: percentile(latencies, 0.95) };
}
