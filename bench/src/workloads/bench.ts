import { postgresProgram } from "@bowline/test-services/programs";

import type { Benchmark, BenchmarkContext } from "../benchmark.ts";
import { Fleet } from "./fleet.ts";
import { measureAgent, podCount, workloadCount } from "./measure-agent.ts";
import { instanceCount, measureApply } from "./measure-apply.ts";
import { measureDrift } from "./measure-drift.ts";
import { eventRates, measureEvents } from "./measure-events.ts";
import { measureIngest } from "./measure-ingest.ts";
import { bundlePrograms, type Programs } from "./programs.ts";
import { summarize, type FleetMeasurement } from "./summarize.ts";

const clusters = 20;
const simProcesses = 4;

export const workloadsBenchmark: Benchmark = {
  description: `Deploys ${instanceCount} instances of five resources to ${clusters} simulated clusters; follows ${eventRates.join(" and ")} events/s from there to a watcher of the API; changes objects by hand; has events reported as fast as a server takes them, on SQLite (synchronous=full) and PostgreSQL (fsync and synchronous_commit on); runs an agent with ${podCount} pods and ${workloadCount} workloads.`,
  needs: { programs: [postgresProgram] },
  parts: ["fleet", "ingest", "agent"],
  async run(context) {
    await using programs = await bundlePrograms();
    const { parts } = context;
    return summarize({
      fleet: parts.has("fleet") ? await measureFleet(programs, context) : undefined,
      sqlite: parts.has("ingest") ? await measureIngest("sqlite", programs, context) : undefined,
      postgres: parts.has("ingest") ? await measureIngest("postgres", programs, context) : undefined,
      agent: parts.has("agent") ? await measureAgent(programs, context) : undefined,
    });
  },
};

async function measureFleet(programs: Programs, context: BenchmarkContext): Promise<FleetMeasurement> {
  context.progress(`a server and ${clusters} agents with a cluster each start`);
  await using fleet = await Fleet.start({ programs, clusters, simProcesses, hasControllers: true });
  const applied = await measureApply(fleet, context);
  const events = await measureEvents(fleet, context);
  const drift = await measureDrift(fleet, context);
  return { applied, events, drift };
}
