import { appliedDigest, type KubeObject } from "@bowline/kube";
import { objectText, type ClusterObject } from "@bowline/store";

import { AppliedRows } from "../apply/applied-rows.ts";
import { ObjectApplier, type ApplyOutcome } from "../apply/apply-object.ts";
import type { EngineContext } from "../cluster/engine-context.ts";
import { findLive } from "../cluster/live-object.ts";
import type { CorrectResult } from "../object-result.ts";
import { renderWorkload } from "../render/render-workload.ts";
import { appliedResult } from "../results.ts";
import { fieldManager, type Workload } from "../workload.ts";

/**
 * Sets one object right that somebody has changed. Its fields were ours, so they are taken back from whoever has set them,
 * unless the policy says that nothing is taken from anybody.
 */
export async function correctObject(
  context: EngineContext,
  workload: Workload,
  object: ClusterObject,
): Promise<CorrectResult> {
  const { inventory, key } = context;
  const { objects } = await renderWorkload(workload, context);
  const rendered = objects.find((candidate) => objectText(candidate) === objectText(object));
  const [item] = await inventory.find(key.clusterId, [object]);
  const isOurs = item?.instanceId === key.instanceId && item.state === "applied";
  // Another content is on its way: the reconcile that brings it sets everything right. A hook has had its time.
  if (rendered === undefined || rendered.hook !== undefined || !isOurs || item.content !== rendered.content) {
    return { outcome: "unknown", changedBy: [] };
  }
  const live = await findLive(context, rendered);
  const isSame = live !== undefined && live.metadata.uid === item.uid;
  if (isSame && isAsApplied(live, item.digest)) return { outcome: "unchanged", changedBy: [] };
  const applier = new ObjectApplier(context, workload.policy);
  const outcome = await applier.apply(rendered, { uid: item.uid, wereOurs: isSame, live });
  if (outcome.outcome === "applied") {
    const rows = new AppliedRows(context, workload.revision);
    rows.add(rendered, outcome.answer);
    await rows.written();
  }
  const claimed = { rendered, item, isDoubted: true, isNew: false };
  const changedBy = managersOf(outcome, live);
  return {
    outcome: kindOf(outcome, live),
    object: appliedResult({ claimed, outcome }),
    changedBy,
    ...(outcome.outcome === "waiting" ? { retry: outcome.error } : {}),
  };
}

function isAsApplied(live: KubeObject, digest: string | undefined): boolean {
  return live.metadata.deletionTimestamp === undefined && appliedDigest(live, fieldManager) === digest;
}

/** Fields that we leave to others may have moved without anything to be set right. */
function kindOf(outcome: ApplyOutcome, live: KubeObject | undefined): CorrectResult["outcome"] {
  if (outcome.outcome !== "applied") return "failed";
  const isUnchanged = outcome.answer.metadata.resourceVersion === live?.metadata.resourceVersion;
  return isUnchanged ? "unchanged" : "corrected";
}

/** Whoever took our fields; where they were removed, which leaves no owner, whoever wrote last. */
function managersOf(outcome: ApplyOutcome, live: KubeObject | undefined): string[] {
  const taken = outcome.outcome === "applied" ? outcome.taken : (outcome.problem.conflicts ?? []);
  if (taken.length > 0) return [...new Set(taken.map(({ manager }) => manager))].toSorted();
  const others = (live?.metadata.managedFields ?? []).filter(
    ({ manager, subresource }) => manager !== fieldManager && subresource === undefined,
  );
  const last = others.toSorted((a, b) => ((a.time ?? "") < (b.time ?? "") ? 1 : -1))[0]?.manager;
  return last === undefined ? [] : [last];
}
