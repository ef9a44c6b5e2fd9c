import type { BenchmarkContext } from "../benchmark.ts";
import { memoryOf } from "../memory-of.ts";
import { percentile } from "../median.ts";
import { cpuSeconds } from "../tunnel/cpu-seconds.ts";
import { Asker } from "./asker.ts";
import { askedAt, questionSets, type QuestionName, type QuestionSet } from "./questions.ts";
import type { Stage } from "./stage.ts";
import { StoredGraph } from "./stored-graph.ts";

export interface Latencies {
  readonly count: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly maxMs: number;
}

/** How long answers took, and how much CPU time of the server each of them took on average. */
interface AnswerTimes extends Latencies {
  readonly cpuMs: number;
}

export interface QuestionsMeasurement {
  readonly pods: number;
  /** Each of them alone. */
  readonly each: readonly (readonly [QuestionName, AnswerTimes])[];
  /** All that are answered by looking at a few nodes: not the search. */
  readonly live: AnswerTimes;
  readonly search: AnswerTimes | undefined;
  /** The same ones about times that nobody has asked about before, of all that is kept. */
  readonly at: AnswerTimes;
  /** Once more about the same time. */
  readonly atAgain: AnswerTimes;
  /** The most memory of the server until the questions about now, and those about earlier, were answered. */
  readonly liveRssBytes: number;
  readonly atRssBytes: number;
}

const liveTurns = 3;
const atCount = 60;

/** Asks over HTTP, one question at a time, on one connection. */
export async function measureQuestions(
  stage: Stage,
  { progress, signal }: BenchmarkContext,
): Promise<QuestionsMeasurement> {
  const { server, pods } = stage;
  using asker = new Asker(server.api);
  const sets = await answerable(asker, progress);
  progress(`${pods} pods: ${sets.map(({ name }) => name).join(", ")} are asked`);
  const asked = new Map(sets.map(({ name }) => [name, new Answers(asker, server.pid)]));
  // The first turn is not counted: programs that have just begun are slow.
  for (const { paths } of sets) await new Answers(asker, server.pid).ask(paths);
  for (let turn = 0; turn < liveTurns; turn++) {
    for (const { name, paths } of sets) {
      signal.throwIfAborted();
      await asked.get(name)?.ask(paths);
    }
  }
  const liveRssBytes = await memoryOf(server.pid, "VmHWM");
  progress(`${pods} pods: the same about earlier times`);
  const past = await askAtTimes(stage, asker, sets, signal);
  const live = [...asked].filter(([name]) => name !== "search").map(([, answers]) => answers);
  const search = asked.get("search");
  return {
    pods,
    each: [...asked].map(([name, answers]) => [name, timesOf([answers])] as const),
    live: timesOf(live),
    search: search === undefined ? undefined : timesOf([search]),
    at: timesOf([past.first]),
    atAgain: timesOf([past.again]),
    liveRssBytes,
    atRssBytes: await memoryOf(server.pid, "VmHWM"),
  };
}

/** What some questions took. */
class Answers {
  readonly ms: number[] = [];
  cpuSeconds = 0;
  readonly #asker: Asker;
  readonly #pid: number;

  constructor(asker: Asker, serverPid: number) {
    this.#asker = asker;
    this.#pid = serverPid;
  }

  async ask(paths: readonly string[]): Promise<void> {
    const before = await cpuSeconds([this.#pid]);
    for (const path of paths) this.ms.push((await this.#asker.askWell(path)).ms);
    this.cpuSeconds += (await cpuSeconds([this.#pid])) - before;
  }
}

function timesOf(all: readonly Answers[]): AnswerTimes {
  const ms = all.flatMap((answers) => answers.ms);
  const cpu = all.reduce((sum, answers) => sum + answers.cpuSeconds, 0);
  return { ...latenciesOf(ms), cpuMs: (cpu * 1000) / ms.length };
}

export function latenciesOf(all: readonly number[]): Latencies {
  return {
    count: all.length,
    p50Ms: percentile(all, 0.5),
    p95Ms: percentile(all, 0.95),
    maxMs: Math.max(...all),
  };
}

/** The questions that this server knows. */
async function answerable(asker: Asker, progress: (message: string) => void): Promise<QuestionSet[]> {
  const known: QuestionSet[] = [];
  for (const set of questionSets()) {
    const { status } = await asker.ask(set.paths[0] ?? "");
    if (status === 404) progress(`there is no ${set.name} to ask`);
    else known.push(set);
  }
  return known;
}

async function askAtTimes(stage: Stage, asker: Asker, sets: readonly QuestionSet[], signal: AbortSignal) {
  using stored = new StoredGraph(stage.databaseFile);
  const [firstMs, lastMs] = stored.times();
  const first = new Answers(asker, stage.server.pid);
  const again = new Answers(asker, stage.server.pid);
  for (let index = 0; index < atCount; index++) {
    signal.throwIfAborted();
    // Steps of the golden ratio: spread evenly, in no order.
    const share = (index * 0.618_034) % 1;
    const set = sets[index % sets.length];
    const path = askedAt(set?.paths[index] ?? "", Math.round(firstMs + share * (lastMs - firstMs)));
    await first.ask([path]);
    await again.ask([path]);
  }
  return { first, again };
}
