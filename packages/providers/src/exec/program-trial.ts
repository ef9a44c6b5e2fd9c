import { BowlineError } from "@bowline/core";

import { inlineConnection } from "../inline-connection.ts";
import type { ProgramRecord } from "./program-answer.ts";
import { ProgramFault, TrialCluster, type Cut, type TrialOptions } from "./trial-cluster.ts";

/** One thing that a program has to do right. */
export interface TrialCheck {
  readonly title: string;
  /** What it did wrong, in a sentence; missing when it did it right. */
  readonly problem?: string;
}

export interface TrialReport {
  readonly checks: readonly TrialCheck[];
  /** Throw-away clusters of which something may be left, with the reason why. */
  readonly leftOver: readonly { readonly id: string; readonly name: string; readonly problem: string }[];
}

/** Each of them makes clusters of its own, and takes them away. */
interface Part {
  readonly title: string;
  readonly run: (trial: Trial) => Promise<void>;
}

const parts: readonly Part[] = [
  { title: "says what it would make, and finds nothing where nothing was made", run: nothingMade },
  { title: "makes a cluster, asked for each step twice, and hands over its kubeconfig", run: madeTwice },
  { title: "finds what it made when its answers were lost, and deletes it", run: cutAnywhere },
];

export interface TrialRun extends TrialOptions {
  readonly onCheck: (check: TrialCheck) => void;
  /** Told when the signal has ended the trial, and its clusters are to be taken away. */
  readonly onInterrupt: () => void;
}

/**
 * Makes and deletes throw-away clusters by a program, and tells what of the protocol it does not keep. Whatever ends it,
 * the clusters are taken away.
 */
export async function tryProgram(run: TrialRun): Promise<TrialReport> {
  const trial = new Trial(run);
  const checks: TrialCheck[] = [];
  for (const { title, run: runPart } of parts) {
    const problem = await problemOf(runPart(trial)).catch((thrown: unknown) => {
      if (!run.signal.aborted) throw thrown;
      return undefined;
    });
    if (run.signal.aborted) {
      run.onInterrupt();
      await trial.cleanUp();
      break;
    }
    const check = { title, ...(problem === undefined ? {} : { problem }) };
    checks.push(check);
    run.onCheck(check);
    await trial.cleanUp();
    // What has no first step right has none of the others right either.
    if (problem !== undefined) break;
  }
  return { checks, leftOver: trial.leftOver };
}

async function problemOf(work: Promise<void>): Promise<string | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    if (error instanceof ProgramFault) return error.message;
    throw error;
  }
}

class Trial {
  readonly options: TrialRun;
  readonly leftOver: { id: string; name: string; problem: string }[] = [];
  /** How the creation of a cluster went, for the parts that cut it short. */
  cuts: readonly Cut[] = [];
  readonly #open = new Set<TrialCluster>();

  constructor(options: TrialRun) {
    this.options = options;
  }

  cluster(): TrialCluster {
    const cluster = new TrialCluster(this.options);
    this.#open.add(cluster);
    return cluster;
  }

  isGone(cluster: TrialCluster): void {
    this.#open.delete(cluster);
  }

  /** After a failure, or when somebody will not wait: what was made is taken away as well as the program can, by the newest record that it gave. */
  async cleanUp(): Promise<void> {
    for (const cluster of this.#open) {
      this.#open.delete(cluster);
      if (!cluster.mayBeThere) continue;
      cluster.signal = new AbortController().signal;
      cluster.record = cluster.cuts.at(-1)?.after ?? cluster.record;
      const problem = await problemOf(cluster.delete());
      if (problem !== undefined) this.leftOver.push({ id: cluster.id, name: cluster.name, problem });
    }
  }
}

async function nothingMade(trial: Trial): Promise<void> {
  const cluster = trial.cluster();
  await cluster.ask("plan");
  await cluster.ask("plan");
  const { state } = await cluster.ask("observe");
  if (state !== "gone") {
    throw new ProgramFault(
      `Asked to observe a cluster that was never made, right after two plans, it answered «${state}» and not «gone»: a plan makes nothing, and clusters are told apart by cluster.id.`,
    );
  }
  await cluster.delete();
  trial.isGone(cluster);
}

async function madeTwice(trial: Trial): Promise<void> {
  const cluster = trial.cluster();
  await cluster.create({ isTwice: true });
  trial.cuts = [...cluster.cuts];
  await expectState(cluster, "observe", "ready", "right after it had answered that the cluster is ready");
  await expectState(cluster, "next", "ready", "when the cluster was ready and nothing was left to do");
  await expectKubeconfig(cluster);
  await expectState(cluster, "observe", "ready", "after it was asked for credentials");
  await cluster.delete({ isTwice: true });
  await expectState(cluster, "observe", "gone", "after it had answered that all is gone");
  await expectState(cluster, "delete", "gone", "after it had answered that all is gone");
  for (const record of cluster.remembered.values()) await expectNoneOf(cluster, record);
  trial.isGone(cluster);
}

/** The answer to each step in turn is lost: the program is given the record that it was given before. */
async function cutAnywhere(trial: Trial): Promise<void> {
  for (const [index, { text }] of trial.cuts.entries()) {
    const where = `the answer of step ${index + 1} of ${trial.cuts.length} («${text}») was lost`;
    trial.options.onProgress(where);
    const cluster = trial.cluster();
    await cluster.create({ cuts: index });
    const lost = cluster.cuts.at(-1)?.after ?? null;
    await cluster.delete();
    const { state } = await cluster.ask("observe", lost);
    if (state !== "gone") {
      throw new ProgramFault(
        `When ${where} and it was asked to delete the cluster with the record from before, it answered «gone» and left something: asked to observe with the record that was lost, it answers «${state}». What it makes has to carry cluster.id, and delete has to look for that, whatever the record says.`,
      );
    }
    trial.isGone(cluster);
  }
}

async function expectState(
  cluster: TrialCluster,
  action: "observe" | "next" | "delete",
  state: string,
  when: string,
): Promise<void> {
  const answer = await cluster.ask(action);
  if (answer.record !== undefined) cluster.record = answer.record;
  if (answer.state === state) return;
  throw new ProgramFault(`Asked to ${action} ${when}, it answered «${answer.state}» and not «${state}».`);
}

/** Of each step, one of two answers was thrown away: what it names has to be gone as well. */
async function expectNoneOf(cluster: TrialCluster, lost: ProgramRecord): Promise<void> {
  const { state } = await cluster.ask("observe", lost);
  if (state === "gone") return;
  throw new ProgramFault(
    `Each step was asked for twice with the same record, as happens when an answer is lost, and one made two things, of which only one was deleted: asked to observe with the record of the other, it answers «${state}». Before it makes something it has to look for what carries cluster.id.`,
  );
}

async function expectKubeconfig(cluster: TrialCluster): Promise<void> {
  const { kubeconfig = "" } = await cluster.ask("credentials");
  try {
    inlineConnection(kubeconfig);
  } catch (error) {
    const why = BowlineError.from(error).message;
    throw new ProgramFault(
      `Asked for credentials, it answered a kubeconfig by which no agent could be installed: ${why} Print the whole file, with a current-context, as kubectl reads it.`,
      { cause: error },
    );
  }
}
