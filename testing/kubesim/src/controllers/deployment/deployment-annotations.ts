import type { Deployment, ReplicaSet } from "../kinds/workloads.ts";
import { maxSurge, replicasOf } from "./deployment-strategy.ts";

export const revisionAnnotation = "deployment.kubernetes.io/revision";
const historyAnnotation = "deployment.kubernetes.io/revision-history";
const desiredAnnotation = "deployment.kubernetes.io/desired-replicas";
const maxAnnotation = "deployment.kubernetes.io/max-replicas";

/** What belongs to one object alone and is not handed on from a Deployment to its ReplicaSets. */
const notInherited = new Set([
  "kubectl.kubernetes.io/last-applied-configuration",
  revisionAnnotation,
  historyAnnotation,
  desiredAnnotation,
  maxAnnotation,
  "deprecated.deployment.rollback.to",
]);

type Annotations = Readonly<Record<string, string>>;

export function revisionOf(object: Deployment | ReplicaSet): number {
  return Number(object.metadata.annotations?.[revisionAnnotation] ?? 0) || 0;
}

/** The annotations of the ReplicaSet that runs a Deployment's current template. */
export function newReplicaSetAnnotations(
  deployment: Deployment,
  current: Annotations | undefined,
  revision: number,
): Record<string, string> {
  const inherited = Object.entries(deployment.metadata.annotations ?? {}).filter(
    ([key]) => !notInherited.has(key),
  );
  const annotations = { ...current, ...Object.fromEntries(inherited) };
  const before = annotations[revisionAnnotation];
  if (before === undefined || Number(before) < revision) {
    annotations[revisionAnnotation] = String(revision);
    // A template that comes back keeps the numbers it had before.
    if (before !== undefined) {
      annotations[historyAnnotation] = [annotations[historyAnnotation], before]
        .filter((part) => part !== undefined && part !== "")
        .join(",");
    }
  }
  return annotations;
}

/** The size a ReplicaSet was last made for: by it, a change of scale is told from a change of template. */
export function sizeAnnotations(deployment: Deployment): Record<string, string> {
  const replicas = replicasOf(deployment);
  return {
    [desiredAnnotation]: String(replicas),
    [maxAnnotation]: String(replicas + maxSurge(deployment)),
  };
}

export function desiredReplicasOf(replicaSet: ReplicaSet): number | undefined {
  return numberIn(replicaSet.metadata.annotations, desiredAnnotation);
}

export function maxReplicasOf(replicaSet: ReplicaSet): number | undefined {
  return numberIn(replicaSet.metadata.annotations, maxAnnotation);
}

function numberIn(annotations: Annotations | undefined, key: string): number | undefined {
  const text = annotations?.[key];
  const value = text === undefined ? Number.NaN : Number(text);
  return Number.isInteger(value) ? value : undefined;
}
