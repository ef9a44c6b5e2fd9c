import { BowlineError } from "@bowline/core";

import { MortalCalls } from "../mortal-calls.ts";
import type { ProviderStage } from "../provider-stage.ts";
import {
  expectComplete,
  expectNothing,
  staged,
  type ProcessCalls,
  type StagedCluster,
} from "../staged-cluster.ts";
import { changesOf } from "./creating.ts";

/** A call whose answer is lost was done all the same; the process lives, and goes on. */
export async function lostAnswers(stage: ProviderStage): Promise<void> {
  await failingOnce(stage, async (call, fail) => {
    await call();
    throw fail();
  });
}

/** A call that is refused, because of a limit or a cut, was not done. */
export async function refusedCalls(stage: ProviderStage): Promise<void> {
  await failingOnce(stage, (_, fail) => Promise.reject(fail()));
}

type Failure = (call: () => Promise<unknown>, fail: () => BowlineError) => Promise<never>;

/** Makes and deletes a cluster once for each call of both, and lets that one fail. */
async function failingOnce(stage: ProviderStage, failure: Failure): Promise<void> {
  const counted = new MortalCalls();
  await staged(stage, async (cluster) => course(cluster, new FailingOnce(counted, Infinity, failure)));
  const subjects = changesOf(counted);
  for (const [index, subject] of subjects.entries()) {
    const calls = new FailingOnce(new MortalCalls(), index, failure);
    await staged(stage, (cluster) => course(cluster, calls)).catch((error: unknown) => {
      const message = error instanceof Error ? error.message : String(error);
      throw new Error(`«${subject}», call ${index + 1} of ${subjects.length}: ${message}`, { cause: error });
    });
  }
}

async function course(cluster: StagedCluster, calls: FailingOnce): Promise<void> {
  const tolerates = (error: unknown): boolean => calls.hasCaused(error);
  await cluster.run("present", { until: "ready", calls, tolerates });
  await expectComplete(cluster);
  await cluster.run("absent", { until: "gone", calls, tolerates });
  await expectNothing(cluster);
}

class FailingOnce implements ProcessCalls {
  readonly isDead = false;
  readonly #calls: MortalCalls;
  readonly #failure: Failure;
  #left: number;
  #caused: BowlineError | undefined;

  constructor(calls: MortalCalls, after: number, failure: Failure) {
    this.#calls = calls;
    this.#left = after;
    this.#failure = failure;
  }

  readonly call: ProcessCalls["call"] = (subject, call) =>
    this.#calls.call(subject, () => {
      this.#left -= 1;
      return this.#left === -1 ? this.#failure(call, () => this.#fail(subject)) : call();
    });

  writesTo(records: Parameters<ProcessCalls["writesTo"]>[0]): ReturnType<ProcessCalls["writesTo"]> {
    return records;
  }

  hasCaused(error: unknown): boolean {
    for (let at = error; at instanceof Error; at = at.cause) if (at === this.#caused) return true;
    return false;
  }

  #fail(subject: string): BowlineError {
    this.#caused = new BowlineError("ConnectionFailed", `The connection was lost during «${subject}».`);
    return this.#caused;
  }
}
