import { expect, test } from "vitest";

import type { ApplyMeasurement } from "./measure-apply.ts";
import type { EventLatency } from "./measure-events.ts";
import { summarize } from "./summarize.ts";

const applied = (appliedSeconds: number, directSeconds: number): ApplyMeasurement => ({
  appliedSeconds,
  healthySeconds: appliedSeconds + 1,
  directSeconds,
  cpuSeconds: 5,
});

const latency = (perSecond: number, p50Ms: number, p99Ms: number): EventLatency => ({
  perSecond,
  p50Ms,
  p99Ms,
  count: perSecond * 10,
  keptPerSecond: perSecond,
});

const ingest = { perSecond: 12_000, insertsPerSecond: 48_000, cpuMicroseconds: 70 };

const agent = {
  peakRssBytes: 150e6,
  restRssBytes: 120e6,
  deployRssBytes: 140e6,
  cpuSeconds: 2,
  reportedSeconds: 3,
  cpuAtEvents: 0.05,
  bytesPerEvent: 280,
  events: latency(500, 60, 130),
  deploySeconds: 20,
};

test("tells the median of the rounds, and compares within one", () => {
  const { ratios, figures, table } = summarize({
    fleet: {
      applied: [applied(9, 3), applied(6, 1), applied(5, 1.25)],
      events: [latency(50, 60, 120), latency(500, 80, 300), latency(50, 62, 140), latency(500, 82, 500)],
      drift: { p50Ms: 400, p99Ms: 900, edits: 120 },
    },
    sqlite: ingest,
    postgres: { ...ingest, perSecond: 8_000 },
    agent,
  });
  expect(ratios).toEqual({ appliedVsDirect: 4, ingestVsInsertSqlite: 0.25, ingestVsInsertPostgres: 1 / 6 });
  expect(figures).toMatchObject({
    applied100Seconds: 6,
    healthy100Seconds: 7,
    eventP99Ms50: 130,
    eventP99Ms500: 400,
    driftP99Ms: 900,
    ingestPerSecondSqlite: 12_000,
    ingestPerSecondPostgres: 8_000,
    agentRssBytes: 150e6,
    bytesPerEvent: 280,
  });
  expect(table.rows.map(([name]) => name)).toContain("500 events/s to a watcher");
});

test("says nothing about parts that were left out", () => {
  const { ratios, figures, table } = summarize({
    fleet: undefined,
    sqlite: ingest,
    postgres: undefined,
    agent: undefined,
  });
  expect(Object.keys(ratios)).toEqual(["ingestVsInsertSqlite"]);
  expect(Object.keys(figures)).not.toContain("agentRssBytes");
  expect(table.rows).toHaveLength(1);
});
