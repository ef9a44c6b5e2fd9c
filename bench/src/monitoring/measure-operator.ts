import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { freePort, ManagedProcess } from "@bowline/test-services";

import type { BenchmarkContext } from "../benchmark.ts";
import { percentile } from "../median.ts";
import { MonitoredCluster } from "./monitored-cluster.ts";

const program = fileURLToPath(new URL("../../../apps/cli/src/main.ts", import.meta.url));

const monitorCount = 1000;
const changesPerRound = 100;
/** A change that is not in the configuration by then never will be. */
const changeLimitMs = 60_000;
/** After the first configuration the operator has objects and statuses to write. */
const settleMs = 3_000;
/** Between two changes, so that each finds an operator at rest, as those of people do. */
const pauseMs = 50;

export interface OperatorMeasurement {
  /** From the start of the process. */
  readonly firstConfigMs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly changes: number;
}

/** How long after the change of one monitor among a thousand the configuration is written, by `bowline operator`. */
export async function measureOperator(context: BenchmarkContext): Promise<OperatorMeasurement> {
  const { rounds, progress, signal } = context;
  await using cluster = await MonitoredCluster.create(monitorCount);
  progress(`an operator with ${monitorCount} monitors starts`);
  const startedAt = performance.now();
  const first = cluster.configWritten(withLimit(signal));
  await using operator = await startOperator(cluster.kubeconfig);
  const firstConfigMs = (await first) - startedAt;
  await sleep(settleMs, undefined, { signal });
  const latenciesMs: number[] = [];
  for (let change = 0; change < rounds * changesPerRound; change++) {
    if (change % changesPerRound === 0) progress(`${change} of ${rounds * changesPerRound} changes`);
    if (!operator.isRunning) throw operator.failure("ended by itself");
    // A step that meets every monitor before it meets one twice; the interval is never the one before.
    const interval = `${15 + (change % 40)}s`;
    latenciesMs.push(await cluster.changeMonitor(change * 7, interval, withLimit(signal)));
    await sleep(pauseMs, undefined, { signal });
  }
  return {
    firstConfigMs,
    p50Ms: percentile(latenciesMs, 0.5),
    p99Ms: percentile(latenciesMs, 0.99),
    changes: latenciesMs.length,
  };
}

function withLimit(signal: AbortSignal): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(changeLimitMs)]);
}

async function startOperator(kubeconfig: string): Promise<ManagedProcess> {
  const health = `127.0.0.1:${await freePort()}`;
  const flags = ["--kubeconfig", kubeconfig, "--health-listen", health, "--leader-election", "off"];
  return ManagedProcess.start({
    name: "bowline operator",
    command: process.execPath,
    args: [program, "operator", ...flags, "--log-level", "warn"],
    env: { PATH: process.env["PATH"] },
    isReady: async (signal) => (await fetch(`http://${health}/readyz`, { signal })).ok,
  });
}
