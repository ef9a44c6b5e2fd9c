import { isRecord } from "@bowline/core";
import { recordOf, type KubeObject } from "@bowline/kube/shapes";

import { request } from "../live/request.ts";
import { fieldManager } from "./objects.ts";
import { objectPath, type ObjectPlace } from "./places.ts";

const scaled: ReadonlySet<string> = new Set(["deployments", "statefulsets", "replicasets"]);

/** More would be a slip of the finger; a manifest can still say so. */
const maxReplicas = 10_000;

/** Whether the kind has a number of replicas that somebody may set. */
export function isScalable({ group, resource }: Pick<ObjectPlace, "group" | "resource">): boolean {
  return group === "apps" && scaled.has(resource);
}

/** How many replicas an object wants; one, where it does not say. */
export function wantedReplicas(object: KubeObject): number {
  const replicas = recordOf(object["spec"])?.["replicas"];
  return typeof replicas === "number" ? replicas : 1;
}

/** The number that somebody typed, or undefined for what cannot be one. */
export function readReplicas(typed: string): number | undefined {
  const replicas = /^\d+$/u.test(typed.trim()) ? Number(typed) : Number.NaN;
  return replicas <= maxReplicas ? replicas : undefined;
}

/** Sets the number of replicas, as `kubectl scale` does; answers with the one that the cluster has kept. */
export async function scaleObject(place: ObjectPlace, replicas: number): Promise<number> {
  const answer = await request<unknown>(objectPath(place, { fieldManager }, "scale"), {
    method: "PATCH",
    body: { spec: { replicas } },
    headers: { "content-type": "application/merge-patch+json" },
  });
  const spec = isRecord(answer) ? recordOf(answer["spec"]) : undefined;
  // A Scale leaves out what is zero.
  return typeof spec?.["replicas"] === "number" ? spec["replicas"] : 0;
}
