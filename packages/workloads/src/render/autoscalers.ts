import { asRecord } from "@bowline/core";
import type { ClusterObject } from "@bowline/store";

/** An object whose replicas an autoscaler decides about. */
export type ScaleTarget = ClusterObject;

interface MaybeAutoscaler {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

/** What an autoscaler scales; nothing for any other object. */
export function hpaTargets(object: MaybeAutoscaler, defaultNamespace: string): ScaleTarget[] {
  if (object.kind !== "HorizontalPodAutoscaler" || !object.apiVersion.startsWith("autoscaling/")) return [];
  const { apiVersion, kind, name } = asRecord(asRecord(object["spec"])["scaleTargetRef"]);
  if (typeof kind !== "string" || typeof name !== "string") return [];
  const text = typeof apiVersion === "string" ? apiVersion : "";
  const { namespace } = object.metadata;
  const place = typeof namespace === "string" && namespace !== "" ? namespace : defaultNamespace;
  return [{ group: text.slice(0, Math.max(0, text.indexOf("/"))), kind, namespace: place, name }];
}

export function isTarget(target: ScaleTarget, { group, kind, namespace, name }: ClusterObject): boolean {
  return (
    target.group === group && target.kind === kind && target.namespace === namespace && target.name === name
  );
}
