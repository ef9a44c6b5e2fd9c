import type { BenchmarkContext } from "../benchmark.ts";
import { median } from "../median.ts";
import { paintedAfter, paintedAt, watchBehind, watchFrames, type Frames } from "./in-page.ts";
import { keptLines, linesPerFailure, logNamespace } from "./log-writer.ts";
import { middleFrames, type Stage } from "./stage.ts";
import type { Followed, FollowOrder, LogOrder } from "./web-order.ts";

export interface LogsMeasurement {
  /** From the address until all lines are there. */
  readonly openMs: number;
  readonly scroll: Frames;
  /** Of a plain list. */
  readonly plainScroll: Frames;
  /** From the expression until every line that matches is found, and marked where it is in view. */
  readonly searchMs: number;
  readonly linesPerSecond: number;
  /** While so many lines came. */
  readonly followFrames: Frames;
  /** How old the last line in view was. */
  readonly behindP95Ms: number;
  readonly behindMaxMs: number;
}

const following = { perSecond: 5_000, seconds: 15 };
const scrolling = { durationMs: 4_000, stepPx: 90 };
const lines = '[role="listbox"][aria-label="Lines"]';
const failure = String.raw`GET /items/\d+" status=5\d\d trace=[0-9a-f]{8} `;

/** Reads, searches and follows the log of a pod that writes much. */
export async function measureLogs(
  stage: Stage,
  { rounds, progress }: BenchmarkContext,
): Promise<LogsMeasurement> {
  const turns: LogsMeasurement[] = [];
  for (let round = 0; round < rounds; round += 1) {
    progress(`${keptLines} lines are opened, scrolled and searched, and ${following.perSecond}/s followed`);
    turns.push(await measureTurn(stage, `writer-${round}`));
  }
  const middle = (of: (turn: LogsMeasurement) => number): number => median(turns.map(of));
  return {
    openMs: middle(({ openMs }) => openMs),
    scroll: middleFrames(turns.map(({ scroll }) => scroll)),
    plainScroll: middleFrames(turns.map(({ plainScroll }) => plainScroll)),
    searchMs: middle(({ searchMs }) => searchMs),
    linesPerSecond: middle(({ linesPerSecond }) => linesPerSecond),
    followFrames: middleFrames(turns.map(({ followFrames }) => followFrames)),
    behindP95Ms: middle(({ behindP95Ms }) => behindP95Ms),
    behindMaxMs: middle(({ behindMaxMs }) => behindMaxMs),
  };
}

async function measureTurn(stage: Stage, pod: string): Promise<LogsMeasurement> {
  await stage.source.ask("log", { pod, lines: keptLines } satisfies LogOrder);
  await using visit = await stage.signIn();
  const { page } = visit;
  const query = new URLSearchParams({ ns: logNamespace, pod, since: "1h" });
  await page.goto(visit.address(`/c/cloud/logs?${query.toString()}`), { waitUntil: "commit" });
  const last = `${lines} [aria-posinset="${keptLines}"]`;
  const openMs = await page.evaluate(paintedAt, { selector: last, text: "" });

  const list = page.getByRole("listbox", { name: "Lines" });
  await list.press("Home");
  await page.locator(`${lines} [aria-posinset="1"]`).waitFor();
  const scroll = await page.evaluate(watchFrames, { selector: lines, ...scrolling });
  const plain = await stage.openPlainList();
  const plainScroll = await plain.evaluate(watchFrames, { selector: "#list", ...scrolling });
  await plain.context().close();

  await page.getByRole("button", { name: "Regular expression" }).click();
  const found = page.evaluate(paintedAfter, {
    event: "input",
    selector: '[aria-label="Logs"] output',
    text: `${keptLines / linesPerFailure} lines`,
  });
  await page.getByRole("searchbox", { name: "Search the lines" }).fill(failure);
  const { paintMs: searchMs } = await found;
  await page.getByRole("searchbox", { name: "Search the lines" }).fill("");

  await list.press("End");
  await page.locator(last).waitFor();
  const durationMs = (following.seconds - 1) * 1_000;
  const [followed, behind] = await Promise.all([
    stage.source.ask<Followed>("follow", { pod, ...following } satisfies FollowOrder),
    page.evaluate(watchBehind, { selector: `${lines} > div`, durationMs }),
  ]);
  // None of them was left out.
  await list.filter({ hasText: ` line=${followed.last} ` }).waitFor();
  return {
    openMs,
    scroll,
    plainScroll,
    searchMs,
    linesPerSecond: followed.perSecond,
    followFrames: behind.frames,
    behindP95Ms: behind.p95Ms,
    behindMaxMs: behind.maxMs,
  };
}
