import { expect } from "vitest";

import { MortalCalls } from "../mortal-calls.ts";
import type { ProviderStage } from "../provider-stage.ts";
import { staged, type StagedCluster } from "../staged-cluster.ts";

type Course = (cluster: StagedCluster, calls: MortalCalls) => Promise<unknown>;

/** Everything that one process does on that course, when nothing goes wrong. */
export async function cutsOf(stage: ProviderStage, course: Course): Promise<readonly string[]> {
  const calls = new MortalCalls();
  await staged(stage, (cluster) => course(cluster, calls));
  expect(calls.subjects, "calls of a provider that makes something").not.toEqual([]);
  return calls.subjects;
}

/** The course once for each cut, each in a world of its own; `outcome` is that of the process which was to die. */
export async function dyingAfter(
  cuts: readonly string[],
  stage: ProviderStage,
  course: (cluster: StagedCluster, calls: MortalCalls) => Promise<unknown>,
): Promise<void> {
  for (const [index, subject] of cuts.entries()) {
    const cut = `killed after ${index + 1} of ${cuts.length}, «${subject}»`;
    await staged(stage, async (cluster) => {
      const outcome = await course(cluster, new MortalCalls(index + 1));
      if (stage.callsVary !== true) expect(outcome).toBe("died");
    }).catch((error: unknown) => {
      throw new Error(`${cut}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
    });
  }
}
