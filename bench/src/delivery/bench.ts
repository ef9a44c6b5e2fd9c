import type { Benchmark, BenchmarkContext } from "../benchmark.ts";
import { Fleet } from "../workloads/fleet.ts";
import { bundlePrograms, type Programs } from "../workloads/programs.ts";
import { GitStage } from "./git-stage.ts";
import { measurePoll, repositoryCount } from "./measure-poll.ts";
import { measurePush } from "./measure-push.ts";
import { measureRender } from "./measure-render.ts";
import { measureSpread, spreadInstances } from "./measure-spread.ts";
import { summarize, type FleetMeasurement } from "./summarize.ts";

const clusters = 100;
const simProcesses = 4;

export const deliveryBenchmark: Benchmark = {
  description: `Pushes versions of a workload to ${clusters} simulated clusters with an agent each, with a webhook and without; deploys ${spreadInstances} instances of four objects over them; polls ${repositoryCount} repositories each minute for five; renders 10 MiB. The git server is git http-backend, on the same machine.`,
  needs: { programs: [] },
  parts: ["fleet", "poll", "render"],
  async run(context) {
    await using programs = await bundlePrograms();
    const { parts } = context;
    return summarize({
      render: parts.has("render") ? await measureRender(context) : undefined,
      fleet: parts.has("fleet") ? await measureFleet(programs, context) : undefined,
      poll: parts.has("poll") ? await measurePoll(programs, context) : undefined,
    });
  },
};

async function measureFleet(programs: Programs, context: BenchmarkContext): Promise<FleetMeasurement> {
  context.progress(`a server and ${clusters} agents with a cluster each start`);
  await using fleet = await Fleet.start({ programs, clusters, simProcesses, hasControllers: true });
  await using git = await GitStage.start();
  await git.introduceTo(fleet.server.api);
  const push = await measurePush(fleet, git, context);
  const spread = await measureSpread(fleet, context);
  return { push, spread };
}
