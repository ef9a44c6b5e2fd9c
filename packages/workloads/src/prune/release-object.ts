import { BowlineError, hasCode } from "@bowline/core";
import type { KubeObject } from "@bowline/kube";

import type { EngineContext } from "../cluster/engine-context.ts";
import { placeOf, type LiveTarget } from "../cluster/live-object.ts";
import type { ObjectProblem } from "../object-result.ts";
import { fieldManager, instanceLabel } from "../workload.ts";
import { inspectObject, type Candidate, type Inspected } from "./inspect-object.ts";
import type { PruneRun } from "./prune-run.ts";

const tries = 5;
const retained: ObjectProblem = { reason: "Retained", message: "It stays in the cluster, and is nobody's." };

/** An object that is somebody else's is left alone; on one that was ours nothing of us stays. */
export async function releaseCandidate(run: PruneRun, { item, seen: first }: Candidate): Promise<void> {
  let seen: Inspected = first;
  for (let count = 0; count < tries; count += 1) {
    if (seen.verdict === "gone" || seen.verdict === "release") {
      run.tellGone(item, "released", seen.verdict === "gone" ? retained : seen.problem);
      return;
    }
    const problem = seen.verdict === "keep" ? seen.problem : retained;
    const end = await strip(run.context, seen.target, seen.live);
    if (end !== "changed") {
      const left =
        end === "refused" ? `${problem.message} Its label could not be taken off.` : problem.message;
      run.tellGone(item, "released", { ...problem, message: left, isWritten: end === "stripped" });
      return;
    }
    seen = await inspectObject(run.context, run.kinds, item);
  }
  throw new BowlineError("Conflict", "The object changes so often that it could not be released yet.");
}

/**
 * Leaves an object as if it had never been ours: without our label, and with fields that nobody has to be asked about, so
 * that kubectl or Helm can go on with it. Rights to do so are not worth keeping an instance for that is to be deleted.
 */
async function strip(
  { client, signal }: EngineContext,
  target: LiveTarget,
  live: KubeObject,
): Promise<"stripped" | "changed" | "refused"> {
  const { resourceVersion, labels, managedFields = [] } = live.metadata;
  const others = managedFields.filter(({ manager }) => manager !== fieldManager);
  const label = `/metadata/labels/${instanceLabel.replaceAll("/", "~1")}`;
  const patch = [
    { op: "test", path: "/metadata/resourceVersion", value: resourceVersion },
    ...(labels?.[instanceLabel] === undefined ? [] : [{ op: "remove", path: label }]),
    // An empty list would mean that nothing is said about managers; a list with an empty entry that there are none.
    { op: "replace", path: "/metadata/managedFields", value: others.length === 0 ? [{}] : others },
  ];
  try {
    const how = { type: "json", ...placeOf(target), fieldManager, signal } as const;
    await client.patch(target.kindInCluster, patch, how);
    return "stripped";
  } catch (error) {
    // Gone is as good as released; the next look will tell.
    if (hasCode(error, "NotFound", "Conflict", "Invalid")) return "changed";
    if (BowlineError.from(error).retryable || signal.aborted) throw error;
    return "refused";
  }
}
