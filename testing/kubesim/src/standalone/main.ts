/** `npm run kubesim`: a simulated cluster for a terminal, until Ctrl-C. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { Shutdown, systemClock } from "@bowline/core";
import { attachProcessSignals } from "@bowline/program/process-signals";

import { startKubesim } from "../kubesim.ts";
import { sampleWorkloads } from "./sample-workloads.ts";

const usage = `Starts a simulated Kubernetes cluster and says how to point kubectl at it.

Usage: npm run kubesim -- [options]

  --nodes N          How many nodes it has (default 3)
  --port N           Where it listens on 127.0.0.1 (default: a free port)
  --version vX.Y.Z   The Kubernetes version it claims and behaves as (default v1.36.4)
  -h, --help         Show this help

Examples:
  # Three nodes and a few workloads
  npm run kubesim
  # As a Kubernetes of five years ago, with 50 nodes
  npm run kubesim -- --version v1.20.2 --nodes 50
`;

interface Arguments {
  readonly nodes: number;
  readonly port: number;
  readonly version: string | undefined;
}

class UsageError extends Error {}

function readArguments(): Arguments | "help" {
  const { values } = parseArgs({
    options: {
      nodes: { type: "string", default: "3" },
      port: { type: "string", default: "0" },
      version: { type: "string" },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help === true) return "help";
  return {
    nodes: wholeNumber("nodes", values.nodes, 5000),
    port: wholeNumber("port", values.port, 65_535),
    version: values.version,
  };
}

function wholeNumber(name: string, text: string, max: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value <= max) return value;
  throw new UsageError(`--${name} takes a whole number from 0 to ${max}, not "${text}".`);
}

async function serve({ nodes, port, version }: Arguments): Promise<void> {
  const shutdown = new Shutdown({ clock: systemClock, stepLimitMs: 5000, totalLimitMs: 10_000 });
  const detach = attachProcessSignals(
    // The end is waited for below, and tells there what failed.
    (signal) => void shutdown.run(`received ${signal}`).catch(() => {}),
    process,
  );
  const folder = await mkdtemp(join(tmpdir(), "kubesim-"));
  shutdown.add("kubeconfig", () => rm(folder, { recursive: true, force: true }));
  const sim = await startKubesim({
    nodes,
    port,
    ...(version === undefined ? {} : { version }),
    onError: (error) => console.error(`error: ${error.message}`),
  });
  shutdown.add("kubesim", () => sim.stop());
  const kubeconfig = join(folder, "kubeconfig");
  await writeFile(kubeconfig, sim.kubeconfig(), { mode: 0o600 });
  for (const [resource, object] of sampleWorkloads) sim.api.create(resource, object);
  console.log(`A simulated cluster with ${nodes} nodes listens on ${sim.url}. In a second terminal:

  export KUBECONFIG=${kubeconfig}
  kubectl get nodes
  kubectl get pods --watch
  kubectl scale deployment/web --replicas=6
  kubectl create deployment hello --image=example.test/hello:1.0
  kubectl describe pod -l app=broken

Ctrl-C ends it.`);
  await shutdown.finished();
  detach();
}

async function main(): Promise<number> {
  try {
    const options = readArguments();
    if (options === "help") {
      console.log(usage);
      return 0;
    }
    await serve(options);
    return 0;
  } catch (thrown) {
    const isUsage = thrown instanceof UsageError || thrown instanceof TypeError;
    console.error(`error: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
    if (isUsage) console.error("Run 'npm run kubesim -- --help' for usage.");
    return isUsage ? 2 : 1;
  }
}

process.exitCode = await main();
