import { expect } from "vitest";

import { MortalCalls } from "../mortal-calls.ts";
import type { ProviderStage } from "../provider-stage.ts";
import { expectComplete, expectNothing, staged } from "../staged-cluster.ts";
import { changesOf } from "./creating.ts";
import { cutsOf, dyingAfter } from "./cuts.ts";

/** A deletion leaves nothing, is the same when it is asked for twice, and makes nothing where nothing was. */
export async function deleting(stage: ProviderStage): Promise<void> {
  await staged(stage, async (cluster) => {
    await cluster.create();
    await cluster.delete();
    await expectNothing(cluster);
    const calls = new MortalCalls();
    expect(await cluster.delete(calls)).toMatchObject({ state: "gone" });
    expect(changesOf(calls), "calls for a cluster that is gone").toEqual([]);
    await expectNothing(cluster);
  });
  await staged(stage, async (cluster) => {
    await cluster.delete();
    await expectNothing(cluster);
  });
}

/** A cluster that was deleted can be made again under the same object. */
export async function creatingAgain(stage: ProviderStage): Promise<void> {
  await staged(stage, async (cluster) => {
    await cluster.create();
    await cluster.delete();
    await cluster.create();
    await expectComplete(cluster);
    await cluster.delete();
    await expectNothing(cluster);
  });
}

export async function dyingWhileDeleting(stage: ProviderStage): Promise<void> {
  const cuts = await cutsOf(stage, async (cluster, calls) => {
    await cluster.create();
    await cluster.delete(calls);
  });
  await dyingAfter(cuts, stage, async (cluster, calls) => {
    await cluster.create();
    const outcome = await cluster.delete(calls);
    await cluster.delete();
    await expectNothing(cluster);
    return outcome;
  });
}

/** Deletion is asked for in the middle of the creation, wherever that is. */
export async function deletingHalfMade(stage: ProviderStage): Promise<void> {
  const cuts = await cutsOf(stage, (cluster, calls) => cluster.create(calls));
  await dyingAfter(cuts, stage, async (cluster, calls) => {
    const outcome = await cluster.create(calls);
    await cluster.delete();
    await expectNothing(cluster);
    return outcome;
  });
}
