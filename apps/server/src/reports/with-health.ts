import { isDeepStrictEqual } from "node:util";

import type { StatusOf, WorkloadPlacement } from "@bowline/api";
import type { Verdict } from "@bowline/health";
import { findCondition, setCondition } from "@bowline/runtime";

import { placementConditions } from "../workloads/placement-conditions.ts";
import { resourceText } from "../workloads/placement-status.ts";
import type { Statement } from "../workloads/resolve-workload.ts";
import { standing, wholeOf, type PlacementHealth, type ResourceHealth } from "./placement-health.ts";

type PlacementStatus = StatusOf<typeof WorkloadPlacement>;
type ResourceStatus = PlacementStatus["resources"][number];

interface StatusContext {
  readonly generation: number;
  /** Every object is in the cluster as it should be; none is on its way. */
  readonly isApplied: boolean;
  readonly nowMs: number;
  /** When the agent last told something; written only together with something else. */
  readonly observedAt: string | undefined;
}

/**
 * The status with what is known of the health of its resources. All else belongs to the controller of placements and
 * stays: which resources are listed and counted, how far they got, and what was applied. Where nothing has changed, it is the same.
 */
export function withHealth(
  status: PlacementStatus,
  { resources: known }: PlacementHealth,
  { generation, isApplied, nowMs, observedAt }: StatusContext,
): PlacementStatus {
  const resources = status.resources.map((resource) => {
    const judged = known.get(resourceText(resource));
    return judged === undefined ? resource : withVerdict(resource, judged);
  });
  const listed = new Map(status.resources.map((resource) => [resourceText(resource), resource]));
  const verdicts = Array.from(known, ([key, { verdict }]) => verdict ?? verdictOf(listed.get(key)));
  const whole = wholeOf(verdicts);
  const { health } = whole.verdict;
  const statement = healthyStatement(whole.verdict);
  const update = { type: "Healthy", ...statement, observedGeneration: judgedGeneration(status, isApplied) };
  const updated = setCondition(status.conditions, update, nowMs);
  const conditions = placementConditions(updated, {}, { generation, nowMs });
  const { healthyCount } = whole;
  const judged = { ...status, conditions, health, healthyCount, resources };
  if (observedAt === undefined || isDeepStrictEqual(judged, status)) return judged;
  return { ...judged, observedAt };
}

/**
 * The generation that the health is about: the one that was applied, not the one that is wanted. What a cluster does
 * before it has the new revision says nothing about that, and nobody may take the placement for ready by it.
 */
function judgedGeneration({ conditions }: PlacementStatus, isApplied: boolean): number {
  return findCondition(conditions, isApplied ? "Applied" : "Healthy")?.observedGeneration ?? 0;
}

/** The objects that are marked as changed by somebody else, by `objectText`. */
export function markedIn({ resources }: PlacementStatus): ReadonlySet<string> {
  return new Set(resources.filter(({ drifted }) => drifted !== undefined).map(resourceText));
}

/** The verdict that was written before, for a resource of which nothing new can be said. */
function verdictOf(resource: ResourceStatus | undefined): Verdict {
  const { health = "Unknown", healthReason, healthMessage = "" } = resource ?? {};
  return standing(
    healthReason === undefined ? undefined : { health, reason: healthReason, message: healthMessage },
  );
}

function withVerdict(resource: ResourceStatus, judged: ResourceHealth): ResourceStatus {
  const { drifted: _, ...kept } = resource;
  const { uid, drifted, verdict = verdictOf(resource) } = judged;
  return {
    ...kept,
    ...(uid === undefined ? {} : { uid }),
    health: verdict.health,
    healthReason: verdict.reason,
    healthMessage: verdict.message,
    ...(drifted === undefined ? {} : { drifted }),
  };
}

/** Whoever has put a resource to rest does not want to be told that it is not healthy. */
function healthyStatement({ health, reason, message }: Verdict): Statement {
  if (health === "Healthy" || health === "Suspended") return { status: "True", reason, message };
  return { status: health === "Unknown" ? "Unknown" : "False", reason, message };
}
