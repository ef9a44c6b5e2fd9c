import type { BenchmarkContext } from "../benchmark.ts";
import { median } from "../median.ts";
import { firstRowHas, hasRows, watchFrames, type Frames } from "./in-page.ts";
import { middleFrames, rowCount, rowsPath, table, type Stage } from "./stage.ts";

export interface RowsMeasurement {
  readonly openMs: number;
  readonly filterMs: number;
  readonly sortMs: number;
  readonly scroll: Frames;
  /** Of a plain list of as many rows. */
  readonly plainScroll: Frames;
}

const scrolling = { durationMs: 4_000, stepPx: 84 };

/** Opens, filters, sorts and scrolls the table of all rows. */
export async function measureRows(
  stage: Stage,
  { rounds, progress }: BenchmarkContext,
): Promise<RowsMeasurement> {
  const turns: RowsMeasurement[] = [];
  for (let round = 0; round < rounds; round += 1) {
    progress(`${rowCount} rows are opened, filtered, sorted and scrolled`);
    turns.push(await measureTurn(stage));
  }
  const middle = (of: (turn: RowsMeasurement) => number): number => median(turns.map(of));
  return {
    openMs: middle(({ openMs }) => openMs),
    filterMs: middle(({ filterMs }) => filterMs),
    sortMs: middle(({ sortMs }) => sortMs),
    scroll: middleFrames(turns.map(({ scroll }) => scroll)),
    plainScroll: middleFrames(turns.map(({ plainScroll }) => plainScroll)),
  };
}

async function measureTurn(stage: Stage): Promise<RowsMeasurement> {
  await using visit = await stage.signIn();
  const { page } = visit;
  const openedAtMs = Date.now();
  await page.goto(visit.address(rowsPath), { waitUntil: "commit" });
  const openMs = (await page.evaluate(hasRows, { selector: table, count: rowCount })) - openedAtMs;

  await page.getByRole("searchbox", { name: "Filter", exact: true }).focus();
  await page.keyboard.type("row-0123");
  const filteredAtMs = Date.now();
  await page.keyboard.press("4");
  const filterMs = (await page.evaluate(hasRows, { selector: table, count: 1 })) - filteredAtMs;
  await page.getByRole("searchbox", { name: "Filter", exact: true }).fill("");
  await page.evaluate(hasRows, { selector: table, count: rowCount });

  await page.getByRole("button", { name: /^Name(?: |$)/u }).click();
  await page.evaluate(firstRowHas, { selector: table, text: "row-00000" });
  const sortedAtMs = Date.now();
  await page.getByRole("button", { name: /^Name(?: |$)/u }).click();
  const sortMs =
    (await page.evaluate(firstRowHas, { selector: table, text: `row-0${rowCount - 1}` })) - sortedAtMs;

  const scroll = await page.evaluate(watchFrames, { selector: table, ...scrolling });
  const plain = await stage.openPlainList();
  const plainScroll = await plain.evaluate(watchFrames, { selector: "#list", ...scrolling });
  await plain.context().close();
  return { openMs, filterMs, sortMs, scroll, plainScroll };
}
