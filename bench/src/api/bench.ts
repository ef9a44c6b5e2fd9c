import { natsProgram, postgresProgram } from "@bowline/test-services/programs";

import type { Benchmark } from "../benchmark.ts";
import { BundledProgram } from "../bundled-program.ts";
import { measureDatabase } from "./measure-database.ts";
import { changesPerSecond, watcherCount } from "./measure-latencies.ts";
import { measureReconciles } from "./measure-reconciles.ts";
import { largeCount, smallCount } from "./stage.ts";
import { summarize } from "./summarize.ts";

export const apiBenchmark: Benchmark = {
  description: `Creates, gets and lists Clusters of about 400 bytes over HTTP, beside a Fastify handler that only validates and echoes; lists 100 out of ${smallCount} and ${largeCount}; follows ${changesPerSecond} changes/s with ${watcherCount} watchers. SQLite runs with synchronous=full, PostgreSQL with fsync and synchronous_commit on.`,
  needs: { programs: [postgresProgram, natsProgram] },
  async run(context) {
    await using server = await program("server-process.ts");
    await using echo = await program("echo-process.ts");
    await using load = await program("load-process.ts");
    await using fill = await program("fill-process.ts");
    await using reconcile = await program("reconcile-process.ts");
    const programs = { server, echo, load, fill };
    const sqlite = await measureDatabase("sqlite", programs, context);
    const postgres = await measureDatabase("postgres", programs, context);
    const reconciles = await measureReconciles(reconcile, context);
    return summarize({ sqlite, postgres, reconciles });
  },
};

function program(file: string): Promise<BundledProgram> {
  return BundledProgram.create(new URL(file, import.meta.url));
}
