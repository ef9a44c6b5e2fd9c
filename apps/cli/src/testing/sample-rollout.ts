import {
  apiVersion,
  initialStatus,
  WorkloadDefinition,
  WorkloadInstance,
  WorkloadPlacement,
  type StatusOf,
} from "@bowline/api";
import type { ReadObject } from "@bowline/client";
import { readObject } from "@bowline/client/testing";

import { sampleMetadata, sampleObject } from "./sample-object.ts";

export const revisionOne = `sha256:${"1".repeat(64)}`;
export const revisionTwo = `sha256:${"2".repeat(64)}`;

type Condition = StatusOf<typeof WorkloadInstance>["conditions"][number];

export function condition(
  type: string,
  status: Condition["status"],
  { reason = "Because", message = "of something", observedGeneration = 1 }: Partial<Condition> = {},
): Condition {
  return { type, status, reason, message, observedGeneration, lastTransitionTime: "2026-01-01T00:00:00Z" };
}

/** What instances say of themselves when their author says nothing, and hand on to their placements. */
function settings(): object {
  const { definition: _, placement: __, ...others } = sampleObject(WorkloadInstance, "web").spec;
  return others;
}

/** The definition `web`, resolved to this revision. */
export function webDefinition(
  revision: string,
  status: Partial<StatusOf<typeof WorkloadDefinition>> = {},
  generation = 1,
): ReadObject<typeof WorkloadDefinition> {
  return readObject(WorkloadDefinition, {
    apiVersion,
    kind: "WorkloadDefinition",
    metadata: sampleMetadata("web", { generation }),
    spec: { source: { inline: { manifests: "{}" } }, parameters: [] },
    status: {
      ...initialStatus(WorkloadDefinition),
      conditions: [condition("Ready", "True")],
      revision: { id: revision, resolvedAt: "2026-01-01T00:00:00.000Z" },
      ...status,
    },
  });
}

/** The instance `web` of the definition `web`. */
export function webInstance(
  status: Partial<StatusOf<typeof WorkloadInstance>>,
  spec: Partial<WorkloadInstance["spec"]> = {},
): ReadObject<typeof WorkloadInstance> {
  return readObject(WorkloadInstance, {
    apiVersion,
    kind: "WorkloadInstance",
    metadata: sampleMetadata("web"),
    spec: { definition: "web", placement: { clusters: ["east", "west"] }, ...settings(), ...spec },
    status: { ...initialStatus(WorkloadInstance), ...status },
  });
}

/** The placement of the instance `web` in a cluster. */
export function webPlacement(
  cluster: string,
  status: Partial<StatusOf<typeof WorkloadPlacement>>,
): ReadObject<typeof WorkloadPlacement> {
  return readObject(WorkloadPlacement, {
    apiVersion,
    kind: "WorkloadPlacement",
    metadata: sampleMetadata(`web-${cluster}`),
    spec: {
      instance: "web",
      cluster,
      definition: "web",
      revision: revisionOne,
      actingUser: { user: "admin", method: "token", groups: [] },
      ...settings(),
    },
    status: { ...initialStatus(WorkloadPlacement), ...status },
  });
}
