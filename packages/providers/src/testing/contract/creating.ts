import { expect } from "vitest";

import type { ResourceRecord, ResourceRecords } from "../../resource-record.ts";
import { MortalCalls } from "../mortal-calls.ts";
import type { ProviderStage } from "../provider-stage.ts";
import { expectComplete, expectNothing, staged, type ProcessCalls } from "../staged-cluster.ts";
import { cutsOf, dyingAfter } from "./cuts.ts";

/** A cluster is made once, and what is ready is left as it is. */
export async function creating(stage: ProviderStage): Promise<void> {
  await staged(stage, async (cluster) => {
    await cluster.create(intentFirst(cluster));
    await expectComplete(cluster);
    const calls = new MortalCalls();
    expect(await cluster.create(calls)).toMatchObject({ state: "ready" });
    expect(changesOf(calls), "calls for a cluster that is ready").toEqual([]);
    await expectComplete(cluster);
  });
}

/** Whoever is killed anywhere leaves something that another process goes on with: one of each thing, and nothing else. */
export async function dyingWhileCreating(stage: ProviderStage): Promise<void> {
  const cuts = await cutsOf(stage, (cluster, calls) => cluster.create(calls));
  await dyingAfter(cuts, stage, async (cluster, calls) => {
    const outcome = await cluster.create(calls);
    await cluster.create();
    await expectComplete(cluster);
    await cluster.delete();
    await expectNothing(cluster);
    return outcome;
  });
}

/** Nobody lives for longer than one call, and the cluster is made all the same. */
export async function dyingAllTheTime(stage: ProviderStage): Promise<void> {
  await staged(stage, async (cluster) => {
    const cuts = await cutsOf(stage, (other, calls) => other.create(calls));
    for (const _ of cuts) await cluster.create(onlyCalls(new MortalCalls(1)));
    await cluster.create();
    await expectComplete(cluster);
  });
}

/** Before anything is called that may leave something behind, a record says so. */
function intentFirst({ records }: { readonly records: ResourceRecords }): ProcessCalls {
  const calls = new MortalCalls();
  return {
    get isDead() {
      return calls.isDead;
    },
    writesTo: (own) => calls.writesTo(own),
    call: async (subject, call) => {
      expectIntent(subject, await records.list());
      return calls.call(subject, call);
    },
  };
}

function expectIntent(subject: string, records: readonly ResourceRecord[]): void {
  const known = records.filter(({ state }) => state !== "gone");
  expect(known, `records before «${subject}»`).not.toEqual([]);
}

/** Whoever sees again what is there already writes that down first, and has to come further than that. */
function onlyCalls(calls: MortalCalls): ProcessCalls {
  return {
    get isDead() {
      return calls.isDead;
    },
    writesTo: (records) => records,
    call: calls.call,
  };
}

/** What was called; that something was seen again is written down, and changes nothing. */
export function changesOf({ subjects }: MortalCalls): readonly string[] {
  return subjects.filter((subject) => !subject.startsWith("record "));
}
