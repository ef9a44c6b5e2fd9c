/** `npm run bench -- NAME [--rounds N] [--json FILE]` */
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";

import type { Benchmark } from "./benchmark.ts";
import { formatTable } from "./format-table.ts";

const benchmarks: Readonly<Record<string, () => Promise<Benchmark>>> = {
  informer: async () => (await import("./informer/bench.ts")).informerBenchmark,
};

const usage = `Usage: npm run bench -- NAME [--rounds N] [--json FILE]

Benchmarks:
  informer   sync, memory and update latency of the informer beside @kubernetes/client-node

Examples:
  # Print a table
  npm run bench -- informer
  # Also write the ratios and figures
  npm run bench -- informer --json informer.json
`;

function readArguments(): { name: string; rounds: number; json: string | undefined } | undefined {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        rounds: { type: "string", default: "3" },
        json: { type: "string" },
        help: { type: "boolean", short: "h" },
      },
    });
    const rounds = Number(values.rounds);
    const [name, ...rest] = positionals;
    if (values.help || name === undefined || rest.length > 0) return undefined;
    if (!(name in benchmarks) || !Number.isInteger(rounds) || rounds < 1) return undefined;
    return { name, rounds, json: values.json };
  } catch {
    return undefined;
  }
}

async function main(): Promise<number> {
  const options = readArguments();
  const load = benchmarks[options?.name ?? ""];
  if (options === undefined || load === undefined) {
    console.error(usage);
    return 2;
  }
  const startedAt = performance.now();
  const controller = new AbortController();
  process.once("SIGINT", () => controller.abort(new Error("interrupted")));
  const benchmark = await load();
  console.error(benchmark.description);
  const result = await benchmark.run({
    rounds: options.rounds,
    signal: controller.signal,
    progress: (message) =>
      console.error(`[${((performance.now() - startedAt) / 1000).toFixed(0).padStart(4)} s] ${message}`),
  });
  console.log(`\n${formatTable(result.table)}\n`);
  const numbers = { ...result.ratios, ...result.figures };
  const rows = Object.entries(numbers).map(([name, value]) => [
    name,
    String(Math.round(value * 1000) / 1000),
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
