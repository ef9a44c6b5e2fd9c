import { expect } from "vitest";

import type { ProviderGoal } from "../../provider.ts";
import type { ProviderStage } from "../provider-stage.ts";
import { expectComplete, expectNothing, staged, type StagedCluster } from "../staged-cluster.ts";

/** Longer than what is missed has to be missed for. */
const outageRounds = 5;
const roundMs = 30_000;

/** What does not answer is neither lost nor gone: it is there again when the outage is over. */
export async function outages(stage: ProviderStage): Promise<void> {
  await staged(stage, async (cluster) => {
    await duringOutage(cluster, "present");
    await cluster.create();
    await expectComplete(cluster);
    await duringOutage(cluster, "present");
    await cluster.create();
    await expectComplete(cluster);
    await duringOutage(cluster, "absent");
    await cluster.delete();
    await expectNothing(cluster);
  });
}

async function duringOutage(cluster: StagedCluster, goal: ProviderGoal): Promise<void> {
  const { world } = cluster;
  if (world.breakDown === undefined) throw new Error("The world has no breakDown.");
  const before = await world.inventory();
  await world.breakDown(true);
  for (let round = 0; round < outageRounds; round += 1) {
    const outcome = await cluster.round(goal);
    if ("answer" in outcome) {
      expect(["ready", "lost", "gone"], "what is told while nothing answers").not.toContain(
        outcome.answer.state,
      );
    }
    await world.pass(roundMs);
  }
  await world.breakDown(false);
  expect(await world.inventory()).toEqual(before);
}
