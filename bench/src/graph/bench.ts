import type { Benchmark, BenchmarkContext } from "../benchmark.ts";
import { bundlePrograms, type Programs } from "../workloads/programs.ts";
import { changeSeconds, changesPerSecond, measureChanges } from "./measure-changes.ts";
import { measureComplete } from "./measure-complete.ts";
import { measureQuestions } from "./measure-questions.ts";
import { measureLoad, measureRestart } from "./measure-restart.ts";
import { Stage } from "./stage.ts";
import { summarize, type StageMeasurement } from "./summarize.ts";

const smallPods = 10_000;
const largePods = 25_000;
/** Enough for earlier times to be worth a question. */
const historySeconds = 20;

export const graphBenchmark: Benchmark = {
  description: `Starts an agent in simulated clusters of ${smallPods} and ${largePods} pods with what surrounds them until the server has the whole graph; changes ${changesPerSecond} objects/s for ${changeSeconds} s; asks questions about now and about earlier; restarts server and agent.`,
  needs: { programs: [] },
  parts: ["small", "changes", "large", "questions", "restart"],
  async run(context) {
    await using programs = await bundlePrograms();
    const has = (...parts: readonly string[]): boolean => parts.some((part) => context.parts.has(part));
    return summarize({
      small: has("small", "changes") ? await measureSmall(programs, context) : undefined,
      large: has("large", "questions", "restart") ? await measureLarge(programs, context) : undefined,
    });
  },
};

async function measureSmall(programs: Programs, context: BenchmarkContext): Promise<StageMeasurement> {
  const { parts, progress } = context;
  progress(`a cluster is filled with ${smallPods} pods`);
  await using stage = await Stage.open(programs, smallPods);
  const complete = await measureComplete(stage, context);
  return {
    complete,
    questions: parts.has("small") ? await measureQuestions(stage, context) : undefined,
    changes: parts.has("changes") ? await measureChanges(stage, context) : undefined,
    restart: undefined,
    load: await measureLoad(stage, context),
  };
}

async function measureLarge(programs: Programs, context: BenchmarkContext): Promise<StageMeasurement> {
  const { parts, progress, signal } = context;
  progress(`a cluster is filled with ${largePods} pods`);
  await using stage = await Stage.open(programs, largePods);
  const complete = await measureComplete(stage, context);
  if (parts.has("questions")) {
    progress(`${changesPerSecond} changes/s for ${historySeconds} s`);
    await stage.sim.ask("change", { perSecond: changesPerSecond, seconds: historySeconds, round: 0 });
    await stage.complete(signal);
  }
  return {
    complete,
    questions: parts.has("questions") ? await measureQuestions(stage, context) : undefined,
    changes: undefined,
    restart: parts.has("restart") ? await measureRestart(stage, context) : undefined,
    load: await measureLoad(stage, context),
  };
}
