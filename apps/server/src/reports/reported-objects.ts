import type { Cluster, WorkloadInstance, WorkloadPlacement } from "@bowline/api";
import type { Clock } from "@bowline/core";
import type { Store } from "@bowline/store";
import type { ReportedObject } from "@bowline/workloads";

import { readPlacementFacts } from "./placement-facts.ts";
import { lacksRights, placementHealth, type ResourceHealth } from "./placement-health.ts";

interface Placed {
  readonly placement: WorkloadPlacement;
  readonly instance: WorkloadInstance;
  readonly cluster: Cluster;
}

/**
 * How the objects of a placement do since they were applied, by `objectText`. From all reports, and not from the status of
 * the placement, which has no room for more than some hundred objects.
 */
export async function readReportedObjects(
  { store, clock }: { readonly store: Pick<Store, "inventory" | "reports">; readonly clock: Clock },
  { placement, instance, cluster }: Placed,
): Promise<ReadonlyMap<string, ReportedObject>> {
  const facts = await readPlacementFacts(store, cluster, instance, clock.now());
  const { resources } = placementHealth({ ...facts, lacksRights: lacksRights(placement.status) });
  return new Map(Array.from(resources, ([text, health]) => [text, reportedObject(health)]));
}

/** Whoever has put an object to rest does not want others to wait for it. */
function reportedObject({ verdict, end }: ResourceHealth): ReportedObject {
  const { health = "Unknown", message = "" } = verdict ?? {};
  return {
    isHealthy: health === "Healthy" || health === "Suspended",
    isMissing: health === "Missing",
    ...(end === undefined ? {} : { end }),
    message,
  };
}
