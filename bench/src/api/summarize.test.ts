import { expect, test } from "vitest";

import type { DatabaseMeasurement } from "./measure-database.ts";
import type { Rate } from "./measure-rate.ts";
import { summarize } from "./summarize.ts";

const rate = (perSecond: number): Rate => ({ requests: 1, perSecond, cpuMicros: 1 });
const pair = (bowline: number, echo: number) => ({ bowline: rate(bowline), echo: rate(echo) });

function measured(lists: DatabaseMeasurement["lists"]): DatabaseMeasurement {
  return {
    requests: {
      creates: [pair(10, 100), pair(90, 300), pair(20, 40)],
      gets: [pair(50, 100)],
    },
    lists,
    latencies: {
      toWatcher: [{ p50Ms: 1, p99Ms: 5 }],
      toController: [{ p50Ms: 2, p99Ms: 9 }],
      changesPerSecond: 200,
    },
    rssAtRestBytes: 100e6,
    rssAtEndBytes: 300e6,
  };
}

test("takes the median of the ratios of the rounds, and of lists the page that suffers more", () => {
  const sqlite = measured([
    { smallFirst: rate(120), largeFirst: rate(100), smallMiddle: rate(100), largeMiddle: rate(80) },
  ]);
  const { ratios, figures, table } = summarize({
    sqlite,
    postgres: sqlite,
    reconciles: { inProcess: [3, 1, 2], jetStream: [4] },
  });
  expect(ratios).toMatchObject({
    createsVsEchoSqlite: 0.3,
    getsVsEchoPostgres: 0.5,
    listLargeVsSmallSqlite: 1.25,
  });
  expect(figures).toMatchObject({
    createsPerSecondSqlite: 20,
    echoCreatesPerSecondPostgres: 100,
    changeToControllerP99MsSqlite: 9,
    reconcilesPerSecondInProcess: 2,
  });
  expect(table.rows).toContainEqual(["rssAtRestBytes", "100.0 MB", "100.0 MB"]);
});
