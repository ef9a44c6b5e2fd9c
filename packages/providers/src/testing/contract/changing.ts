import { expect } from "vitest";

import type { ProviderStage } from "../provider-stage.ts";
import { expectComplete, expectNothing, staged } from "../staged-cluster.ts";
import { cutsOf, dyingAfter } from "./cuts.ts";

/** The spec changes when the cluster is ready, and in the middle of its creation, wherever that is. */
export async function changing(stage: ProviderStage): Promise<void> {
  const { changedSpec } = stage;
  if (changedSpec === undefined) throw new Error("The stage has no changedSpec.");
  await staged(stage, async (cluster) => {
    await cluster.create();
    cluster.spec = changedSpec;
    expect(await cluster.create()).toMatchObject({ state: "ready" });
    await expectComplete(cluster);
    await cluster.delete();
    await expectNothing(cluster);
  });
  const cuts = await cutsOf(stage, (cluster, calls) => cluster.create(calls));
  await dyingAfter(cuts, stage, async (cluster, calls) => {
    const outcome = await cluster.create(calls);
    cluster.spec = changedSpec;
    await cluster.create();
    await expectComplete(cluster);
    await cluster.delete();
    await expectNothing(cluster);
    return outcome;
  });
}

/** And while a change is under way: whoever is killed leaves something that another process goes on with. */
export async function dyingWhileChanging(stage: ProviderStage): Promise<void> {
  const { changedSpec } = stage;
  if (changedSpec === undefined) throw new Error("The stage has no changedSpec.");
  const cuts = await cutsOf(stage, async (cluster, calls) => {
    await cluster.create();
    cluster.spec = changedSpec;
    await cluster.create(calls);
  });
  await dyingAfter(cuts, stage, async (cluster, calls) => {
    await cluster.create();
    cluster.spec = changedSpec;
    const outcome = await cluster.create(calls);
    await cluster.create();
    await expectComplete(cluster);
    return outcome;
  });
}
