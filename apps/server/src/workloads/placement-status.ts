import type { StatusOf, WorkloadPlacement } from "@bowline/api";
import { shortened } from "@bowline/core";
import type { Verdict } from "@bowline/health";
import { objectText, type ClusterObject } from "@bowline/store";
import type { HeldPrune, ObjectResult } from "@bowline/workloads";

import { shortId, type Statement } from "./resolve-workload.ts";

export type PlacementStatus = StatusOf<typeof WorkloadPlacement>;
type ResourceStatus = PlacementStatus["resources"][number];

/** As many as a status has room for; the count tells of the others. */
const maxResources = 500;
const maxMessageLength = 1_024;

/** The resources of a placement after a run, with what is known of their health. */
export function resourcesAfter(
  before: readonly ResourceStatus[],
  results: readonly ObjectResult[],
): Pick<PlacementStatus, "resources" | "resourceCount"> {
  const known = new Map(before.map((resource) => [resourceText(resource), resource]));
  const resources = results
    .filter(({ state }) => state !== "pruned" && state !== "released")
    .map((result) => resourceStatus(result, known.get(resourceText(result))))
    .toSorted((a, b) => rank(a) - rank(b));
  return { resources: resources.slice(0, maxResources), resourceCount: resources.length };
}

/** The health of an object between the moment in which it was applied and the first report about it. */
export const justApplied: Verdict = {
  health: "Progressing",
  reason: "JustApplied",
  message: "It was applied a moment ago, and the agent has not told how it does since.",
};

function resourceStatus(result: ObjectResult, before: ResourceStatus | undefined): ResourceStatus {
  const { group, version, kind, namespace, name, uid, state, reason, message } = result;
  // What was told of it before it was changed says nothing any more.
  const isSame =
    result.isChanged !== true &&
    before?.healthReason !== undefined &&
    (uid === undefined || before.uid === undefined || before.uid === uid);
  return {
    group,
    version,
    kind,
    ...(namespace === "" ? {} : { namespace }),
    name,
    ...(uid === undefined ? {} : { uid }),
    state: state === "pruned" || state === "released" ? "deleting" : state,
    ...(reason === undefined ? {} : { reason }),
    ...(message === undefined ? {} : { message: shortened(message, maxMessageLength) }),
    ...(isSame ? healthOf(before, result) : firstHealth(result)),
  };
}

function firstHealth({ state }: ObjectResult): HealthFields {
  if (state !== "applied") return { health: "Unknown" };
  const { health, reason, message } = justApplied;
  return { health, healthReason: reason, healthMessage: message };
}

type HealthFields = Pick<ResourceStatus, "health" | "healthReason" | "healthMessage" | "drifted">;

/** An object that was set right has not drifted any more. */
function healthOf(
  { health, healthReason, healthMessage, drifted }: ResourceStatus,
  { isWritten }: ObjectResult,
): HealthFields {
  return {
    health,
    ...(healthReason === undefined ? {} : { healthReason }),
    ...(healthMessage === undefined ? {} : { healthMessage }),
    ...(drifted === undefined || isWritten ? {} : { drifted }),
  };
}

/** A resource as one text, to find it by; the same as that of the object it stands for. */
export function resourceText(
  resource: Omit<ClusterObject, "namespace"> & { readonly namespace?: string | undefined },
): string {
  return objectText({ ...resource, namespace: resource.namespace ?? "" });
}

const order: readonly ResourceStatus["state"][] = [
  "failed",
  "contested",
  "held",
  "deleting",
  "waiting",
  "applied",
  "kept",
];

function rank({ state }: ResourceStatus): number {
  return order.indexOf(state);
}

export interface AppliedInput {
  /** Name of the instance. */
  readonly instance: string;
  readonly revision: string;
  readonly objects: readonly ObjectResult[];
  readonly held?: HeldPrune | undefined;
}

/** One statement about everything that a run did. */
export function appliedStatement({ instance, revision, objects, held }: AppliedInput): Statement {
  const failed = objects.filter(({ state }) => state === "failed");
  if (failed.length > 0) return failureStatement(failed, objects.length);
  if (held !== undefined) {
    const message = `Revision ${shortId(revision)} would delete ${held.count} of ${held.total} objects, and ${held.limit} is the limit. Look at them, and agree to it: bowline approve wi/${instance}.`;
    return { status: "False", reason: "PruneHeld", message };
  }
  const pending = objects.filter(({ state }) => state === "waiting" || state === "deleting");
  const [first] = pending;
  if (first !== undefined) {
    const message = `${pending.length} of ${objects.length} objects are not done yet; ${resourceLabel(first)}: ${first.message ?? "on its way."}`;
    return { status: "Unknown", reason: first.reason ?? "Progressing", message };
  }
  const count = objects.filter(({ state }) => state === "applied").length;
  const message = `${count} ${count === 1 ? "object" : "objects"} of revision ${shortId(revision)} ${count === 1 ? "is" : "are"} in the cluster.`;
  return { status: "True", reason: "Applied", message };
}

/** A fight about objects: somebody sets them back each time they were set right. */
export function contestedStatement({
  contested,
}: {
  readonly contested: ReadonlyMap<string, ContestedObject>;
}): Statement | undefined {
  const [first] = contested.values();
  if (first === undefined) return undefined;
  const by = first.changedBy === "" ? "somebody" : first.changedBy;
  const message = `${contested.size === 1 ? "" : `${contested.size} objects; `}${resourceLabel(first)}: ${by} sets it back each time it is set right, so it is left. End that, take the field out of the manifests, or name it in spec.ignore.`;
  return { status: "False", reason: "Contested", message };
}

interface ContestedObject {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly changedBy: string;
}

function failureStatement(failed: readonly ObjectResult[], total: number): Statement {
  const reasons = new Set(failed.map(({ reason }) => reason));
  const [only] = reasons;
  const [first] = failed;
  const told = first === undefined ? "" : `${resourceLabel(first)}: ${first.message ?? "it was refused."}`;
  return {
    status: "False",
    reason: reasons.size === 1 && only !== undefined ? only : "ApplyFailed",
    message: `${failed.length} of ${total} objects failed; ${told}`,
  };
}

/** `Deployment shop/web`. */
export function resourceLabel({
  kind,
  namespace = "",
  name,
}: Pick<ResourceStatus, "kind" | "namespace" | "name">): string {
  return namespace === "" ? `${kind} ${name}` : `${kind} ${namespace}/${name}`;
}
