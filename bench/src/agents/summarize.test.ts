import { expect, test } from "vitest";

import type { Ending, RestartMeasurement } from "./measure-restart.ts";
import { summarize } from "./summarize.ts";

const spread = { firstSeconds: 3, p50Seconds: 5, p95Seconds: 8, lastSeconds: 9, mostInOneSecond: 300 };

function restart(ending: Ending, reconnectedSeconds: number): RestartMeasurement {
  return {
    ending,
    goneSeconds: 0.1,
    listeningSeconds: 2,
    reconnectedSeconds,
    dials: { ...spread, count: 4_000, mostInOneSecond: 700 },
    welcomes: spread,
    cpuSeconds: 6.25,
  };
}

test("tells the slowest of the restarts, for each way to stop", () => {
  const { figures, table } = summarize({
    aloneRssBytes: 150e6,
    idle: { rssPerAgentBytes: 140e3, cpuPerAgent: 3e-5 },
    idleAfterRestart: { rssPerAgentBytes: 150e3, cpuPerAgent: 3e-5 },
    restarts: [restart("SIGKILL", 12), restart("SIGTERM", 14), restart("SIGKILL", 9.5)],
  });
  expect(figures).toMatchObject({
    rssPerAgentBytes: 140e3,
    rssPerAgentAfterRestartsBytes: 150e3,
    cpuPerAgent: 3e-5,
    reconnectSeconds: 12,
    reconnectAfterStopSeconds: 14,
  });
  expect(table.rows[2]).toEqual([
    "SIGKILL",
    "0.1",
    "2.0",
    "3.0",
    "5.0",
    "8.0",
    "9.5",
    "300",
    "4000",
    "700",
    "6.3 s",
  ]);
});
