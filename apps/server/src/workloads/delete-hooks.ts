import type { Cluster, WorkloadPlacement } from "@bowline/api";
import type { HookResult } from "@bowline/workloads";

import type { ObjectEvent } from "../controllers/object-task.ts";
import { resourceLabel } from "./placement-status.ts";

/** So long a deletion waits for its hooks; nothing is kept for ever by one that fails. */
const limitMs = 10 * 60_000;

interface Deletion {
  readonly placement: WorkloadPlacement;
  readonly cluster: Cluster;
  readonly nowMs: number;
}

/**
 * How long a deletion still waits for its hooks: from when the first of them was made; and while none could be, from when
 * it was asked for, or from when the agent came, so that an agent that was away does not cost them their run.
 */
export function deleteHooksLeftMs(
  { startedAtMs }: Pick<HookResult, "startedAtMs">,
  { placement, cluster, nowMs }: Deletion,
): number {
  const { deletedAt } = placement.metadata;
  const { connectedSince } = cluster.status.agent ?? {};
  const askedMs = [deletedAt, connectedSince].flatMap((time) =>
    time === undefined ? [] : [Date.parse(time)],
  );
  return Math.max(0, (startedAtMs ?? Math.max(0, ...askedMs)) + limitMs - nowMs);
}

/** Told when the time is over: the placement that could say so goes. */
export function skippedHooksEvent({ objects }: Pick<HookResult, "objects">): ObjectEvent {
  const hooks = objects.filter(({ state }) => state === "failed" || state === "waiting").map(resourceLabel);
  const message = `The objects are deleted although ${hooks.join(", ")} has not succeeded within ${limitMs / 60_000} minutes.`;
  return { type: "Warning", reason: "DeleteHookSkipped", message };
}
