import { invalidError, WorkloadInstance, type Kind } from "@bowline/api";
import { allPages, asRecord, isRecord } from "@bowline/core";
import type { ObjectStore } from "@bowline/store";

import { dependencyCycle } from "../rollout/dependencies.ts";

/**
 * `Invalid` when an instance would wait for itself by way of others. It is asked before the write, so two that are
 * written at the same moment can still make a cycle; the controller then tells both.
 */
export async function requireNoCycle(
  objects: Pick<ObjectStore, "list">,
  kind: Kind,
  name: string,
  body: unknown,
): Promise<void> {
  const { dependsOn } = asRecord(asRecord(body)["spec"]);
  if (kind.kind !== WorkloadInstance.kind || !Array.isArray(dependsOn) || dependsOn.length === 0) return;
  const named = dependsOn.flatMap((each: unknown) =>
    isRecord(each) && typeof each["instance"] === "string" ? [each["instance"]] : [],
  );
  const instances = await allPages((cursor) => objects.list(WorkloadInstance, { cursor }));
  const cycle = dependencyCycle(name, named, instances);
  if (cycle === undefined) return;
  const message = `must not lead back to the instance itself: ${cycle.join(" → ")}`;
  throw invalidError(`The ${kind.kind}`, [{ path: "spec.dependsOn", message }]);
}
