/** `npm run bench -- NAME [--rounds N] [--json FILE] [--parts PART,…] [--plain-backend]` */
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";

import type { Benchmark } from "./benchmark.ts";
import { formatTable } from "./format-table.ts";
import { meetNeeds } from "./needs.ts";

const benchmarks: Readonly<Record<string, () => Promise<Benchmark>>> = {
  agents: async () => (await import("./agents/bench.ts")).agentsBenchmark,
  api: async () => (await import("./api/bench.ts")).apiBenchmark,
  delivery: async () => (await import("./delivery/bench.ts")).deliveryBenchmark,
  graph: async () => (await import("./graph/bench.ts")).graphBenchmark,
  informer: async () => (await import("./informer/bench.ts")).informerBenchmark,
  monitoring: async () => (await import("./monitoring/bench.ts")).monitoringBenchmark,
  providers: async () => (await import("./providers/bench.ts")).providersBenchmark,
  ship: async () => (await import("./ship/bench.ts")).shipBenchmark,
  tunnel: async () => (await import("./tunnel/bench.ts")).tunnelBenchmark,
  web: async () => (await import("./web/bench.ts")).webBenchmark,
  workloads: async () => (await import("./workloads/bench.ts")).workloadsBenchmark,
};

const usage = `Usage: npm run bench -- NAME [--rounds N] [--json FILE] [--parts PART,…] [--plain-backend]

Benchmarks:
  agents     memory, CPU and reconnection of 2,000 idle agents on one server
  api        requests, watches and reconciles of the server on SQLite and PostgreSQL, beside a bare Fastify handler
  delivery   from a push to 100 clusters, 1,000 instances, 1,000 repositories polled, 10 MiB rendered
  graph      10,000 and 25,000 pods to a whole graph, changes, questions now and earlier, restarts
  informer   sync, memory and update latency of the informer beside @kubernetes/client-node
  monitoring rendering 100 to 5,000 monitors, and from a change to the written Secret
  providers  100 clusters that are made at once, the SDK of AWS, a Gateway until it answers, a real Kubernetes
  ship       what is shipped: sizes, first answers, memory at rest, a rolling upgrade under load
  tunnel     requests and transfers through server and agent, beside a plain reverse proxy and kubectl proxy
  web        the console in a browser: first load, 10,000 rows, 1,000 changes/s, pictures of the graph, 100,000 lines of a log
  workloads  deploying, events, edits by hand, ingest and the memory of the agent, with 20 simulated clusters

Examples:
  # Print a table
  npm run bench -- informer
  # Also write the ratios and figures
  npm run bench -- informer --json informer.json
  # One part of those that a benchmark has
  npm run bench -- workloads --parts ingest --rounds 1
  # The tunnel to a backend without TLS, which API servers are not
  npm run bench -- tunnel --plain-backend
`;

interface BenchArguments {
  readonly load: () => Promise<Benchmark>;
  readonly rounds: number;
  readonly json: string | undefined;
  readonly parts: readonly string[];
  readonly plainBackend: boolean;
}

/** What was asked for; throws a sentence that says what is wrong, or nothing when help was asked for. */
function readArguments(): BenchArguments | undefined {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      rounds: { type: "string", default: "3" },
      json: { type: "string" },
      parts: { type: "string" },
      "plain-backend": { type: "boolean", default: false },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help) return undefined;
  const [name, ...rest] = positionals;
  if (name === undefined) throw new Error("Name a benchmark.");
  if (rest.length > 0) throw new Error("Name one benchmark at a time.");
  const load = benchmarks[name];
  if (load === undefined) throw new Error(`There is no benchmark "${name}".`);
  const rounds = Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1)
    throw new Error("--rounds must be a whole number of at least 1.");
  const parts = values.parts?.split(",") ?? [];
  return { load, rounds, json: values.json, parts, plainBackend: values["plain-backend"] };
}

async function main(): Promise<number> {
  let options: BenchArguments | undefined;
  try {
    options = readArguments();
  } catch (error) {
    console.error(`error: ${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    return 2;
  }
  if (options === undefined) {
    console.log(usage);
    return 0;
  }
  const startedAt = performance.now();
  const controller = new AbortController();
  process.once("SIGINT", () => controller.abort(new Error("interrupted")));
  const benchmark = await options.load();
  const { parts: known = [] } = benchmark;
  const unknown = options.parts.find((part) => !known.includes(part));
  if (unknown !== undefined) {
    console.error(`error: There is no part "${unknown}"; there are: ${known.join(", ") || "none"}.`);
    return 2;
  }
  console.error(benchmark.description);
  const obstacle = await meetNeeds(benchmark.needs, { tell: (message) => console.error(message) });
  if (obstacle !== 0) return obstacle;
  const result = await benchmark.run({
    rounds: options.rounds,
    plainBackend: options.plainBackend,
    parts: new Set(options.parts.length === 0 ? known : options.parts),
    signal: controller.signal,
    progress: (message) =>
      console.error(`[${((performance.now() - startedAt) / 1000).toFixed(0).padStart(4)} s] ${message}`),
  });
  console.log(`\n${formatTable(result.table)}\n`);
  const numbers = { ...result.ratios, ...result.figures };
  const rows = Object.entries(numbers).map(([name, value]) => [
    name,
    // Shares of a core may be tiny.
    String(Math.abs(value) < 0.1 ? Number(value.toPrecision(3)) : Math.round(value * 1000) / 1000),
  ]);
  console.log(formatTable({ columns: ["name", "value"], rows }));
  if (options.json !== undefined) {
    writeFileSync(
      options.json,
      `${JSON.stringify({ ratios: result.ratios, figures: result.figures }, null, 2)}\n`,
    );
  }
  return 0;
}

process.exitCode = await main();
