import { expect } from "vitest";

import type { ProviderStage } from "../provider-stage.ts";
import { expectComplete, expectNothing, staged, type StagedCluster } from "../staged-cluster.ts";

/** What a person took away by hand is told as lost, or made again: never told to be ready. */
export async function thingsTakenAway(stage: ProviderStage): Promise<void> {
  await staged(stage, async (cluster) => {
    await cluster.create();
    await takeAway(cluster);
    if (stage.afterLoss === "made again") {
      // Whoever says before that it is ready is not believed.
      await cluster.create();
      await expectComplete(cluster);
    } else {
      await cluster.run("present", { until: "lost" });
      const left = await cluster.world.inventory();
      // It stays lost: nobody makes it again behind the back of whoever took it away.
      await cluster.world.pass(60_000);
      expect(await cluster.round("present")).toMatchObject({ answer: { state: "lost" } });
      expect(await cluster.world.inventory()).toEqual(left);
    }
    await cluster.delete();
    await expectNothing(cluster);
  });
}

/** A deletion has nothing to take away, and ends all the same. */
export async function deletingWhatWasTakenAway(stage: ProviderStage): Promise<void> {
  await staged(stage, async (cluster) => {
    await cluster.create();
    await takeAway(cluster);
    await cluster.delete();
    await expectNothing(cluster);
  });
}

async function takeAway({ world }: StagedCluster): Promise<void> {
  if (world.takeAway === undefined) throw new Error("The world has no takeAway.");
  await world.takeAway();
}
