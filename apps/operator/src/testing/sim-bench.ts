import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { startKubesim, type Kubesim, type KubesimOptions } from "@bowline/kubesim";
import { onTestFinished } from "vitest";

import { OperatorBench, type OperatorBenchOptions } from "./operator-bench.ts";

export interface SimBench {
  readonly bench: OperatorBench;
  readonly sim: Kubesim;
  /** For files of the test. */
  readonly folder: string;
}

/** An operator on a simulated cluster of its own; both end with the test. */
export async function openSimBench(
  options: KubesimOptions & Omit<OperatorBenchOptions, "kubeconfig"> = {},
): Promise<SimBench> {
  const folder = await mkdtemp(join(tmpdir(), "bowline-operator-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const sim = await startKubesim({ controllers: false, tls: false, ...options });
  onTestFinished(() => sim.stop());
  const kubeconfig = join(folder, "kubeconfig");
  await writeFile(kubeconfig, sim.kubeconfig());
  const bench = await OperatorBench.open({ ...options, kubeconfig });
  onTestFinished(() => bench[Symbol.asyncDispose]());
  return { bench, sim, folder };
}
