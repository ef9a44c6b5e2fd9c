import { expect } from "vitest";

import type { ProviderGoal } from "../../provider.ts";
import { MortalCalls } from "../mortal-calls.ts";
import type { ProviderStage } from "../provider-stage.ts";
import { staged, type StagedCluster } from "../staged-cluster.ts";
import { changesOf } from "./creating.ts";

const mostRounds = 500;

/**
 * Neither a plan nor a look changes anything, before, during and after the creation and the deletion. A world that is as
 * fast as it likes changes by itself meanwhile, except before and after.
 */
export async function looking(stage: ProviderStage): Promise<void> {
  await staged(stage, async (cluster) => {
    await lookAround(cluster, true);
    expect(await cluster.world.inventory(), "what a plan and a look have made").toEqual({});
    for (const [goal, end] of [
      ["present", "ready"],
      ["absent", "gone"],
    ] as const) {
      await lookWhile(cluster, goal, end, stage.callsVary !== true);
    }
  });
}

async function lookWhile(
  cluster: StagedCluster,
  goal: ProviderGoal,
  end: string,
  isStill: boolean,
): Promise<void> {
  for (let round = 0; round < mostRounds; round += 1) {
    const outcome = await cluster.round(goal);
    if ("error" in outcome) throw outcome.error;
    const isEnd = outcome.answer.state === end;
    await lookAround(cluster, isStill || isEnd);
    if (isEnd) return;
    await cluster.world.pass(outcome.answer.retryAfterMs ?? 5_000);
  }
  throw new Error(`After ${mostRounds} rounds the cluster was not ${end}.`);
}

async function lookAround(cluster: StagedCluster, isStill: boolean): Promise<void> {
  const [provider, calls] = [cluster.world.provider(), new MortalCalls()];
  const work = cluster.work(calls);
  const before = await cluster.world.inventory();
  const plan = await provider.plan(work);
  cluster.told.push(JSON.stringify(plan));
  expect(plan.steps, "steps of the plan").not.toEqual([]);
  cluster.told.push(JSON.stringify(await provider.observe(work)));
  expect(changesOf(calls), "calls of a plan and a look").toEqual([]);
  if (!isStill) return;
  expect(await cluster.world.inventory(), "what is there after a plan and a look").toEqual(before);
}
