import type { ProviderStage } from "../provider-stage.ts";
import { expectComplete, expectNothing, staged } from "../staged-cluster.ts";

/** A restored backup may be older than all that is there: it is found by its marks, and made no second time. */
export async function lostRecords(stage: ProviderStage): Promise<void> {
  await staged(stage, async (cluster) => {
    await cluster.create();
    cluster.records.forget();
    await cluster.create();
    await expectComplete(cluster);
    await cluster.delete();
    await expectNothing(cluster);
  });
}
