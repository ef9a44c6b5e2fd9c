import type { BenchmarkResult } from "../benchmark.ts";
import type { IdleMeasurement } from "./measure-idle.ts";
import type { Ending, RestartMeasurement } from "./measure-restart.ts";

export interface AgentsMeasurement {
  /** The server with all Clusters, but nobody connected. */
  readonly aloneRssBytes: number;
  readonly idle: IdleMeasurement;
  /** After everybody has come back again and again. */
  readonly idleAfterRestart: IdleMeasurement;
  readonly restarts: readonly RestartMeasurement[];
}

export function summarize(measured: AgentsMeasurement): BenchmarkResult {
  const { aloneRssBytes, idle, idleAfterRestart, restarts } = measured;
  return {
    ratios: {},
    figures: {
      rssAloneBytes: aloneRssBytes,
      rssPerAgentBytes: idle.rssPerAgentBytes,
      rssPerAgentAfterRestartsBytes: idleAfterRestart.rssPerAgentBytes,
      cpuPerAgent: idle.cpuPerAgent,
      reconnectSeconds: slowest(restarts, "SIGKILL"),
      reconnectAfterStopSeconds: slowest(restarts, "SIGTERM"),
    },
    table: {
      columns: [
        "seconds after",
        "gone",
        "listening",
        "first back",
        "half back",
        "95 % back",
        "all back",
        "most in 1 s",
        "attempts",
        "most in 1 s",
        "server CPU",
      ],
      rows: restarts.map(rowOf),
    },
  };
}

function slowest(restarts: readonly RestartMeasurement[], wanted: Ending): number {
  const seconds = restarts.flatMap(({ ending, reconnectedSeconds }) =>
    ending === wanted ? [reconnectedSeconds] : [],
  );
  return Math.max(...seconds);
}

function rowOf(restart: RestartMeasurement): string[] {
  const { ending, welcomes, dials } = restart;
  return [
    ending,
    ...[
      restart.goneSeconds,
      restart.listeningSeconds,
      welcomes.firstSeconds,
      welcomes.p50Seconds,
      welcomes.p95Seconds,
      restart.reconnectedSeconds,
    ].map((seconds) => seconds.toFixed(1)),
    String(welcomes.mostInOneSecond),
    String(dials.count),
    String(dials.mostInOneSecond),
    `${restart.cpuSeconds.toFixed(1)} s`,
  ];
}
