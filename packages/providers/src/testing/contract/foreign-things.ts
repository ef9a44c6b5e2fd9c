import { BowlineError } from "@bowline/core";
import { expect } from "vitest";

import type { ProviderStage } from "../provider-stage.ts";
import { expectNothing, staged, type Outcome } from "../staged-cluster.ts";

const mostRounds = 500;

/** What has our name and not our mark is refused, told of, and left as it is, also by a deletion. */
export async function foreignThings(stage: ProviderStage): Promise<void> {
  await staged(stage, async (cluster) => {
    const { world } = cluster;
    if (world.putForeign === undefined || world.foreign === undefined) {
      throw new Error("The world has no putForeign and no foreign.");
    }
    await world.putForeign();
    const before = await world.foreign();
    for (let round = 0; ; round += 1) {
      const outcome = await cluster.round("present");
      if (reasonOf(outcome) === (stage.refusal ?? "NameTaken")) break;
      if ("error" in outcome) throw outcome.error;
      expect(outcome.answer.state, "the state of a cluster whose name is taken").not.toBe("ready");
      expect(round, "rounds until a taken name is told").toBeLessThan(mostRounds);
      await world.pass(outcome.answer.retryAfterMs ?? 5_000);
    }
    expect(await world.foreign()).toEqual(before);
    await cluster.delete();
    await expectNothing(cluster);
    expect(await world.foreign()).toEqual(before);
  });
}

/** Why it does not go on, if it was refused. */
function reasonOf(outcome: Outcome): unknown {
  if ("answer" in outcome) return outcome.answer.state === "blocked" ? outcome.answer.reason : undefined;
  return outcome.error instanceof BowlineError ? outcome.error.details?.["reason"] : undefined;
}
