import type { Taint } from "../kinds/node.ts";
import type { TaintEffect, Toleration } from "../kinds/pod.ts";

export function tolerates(toleration: Toleration, taint: Taint): boolean {
  if (toleration.effect !== undefined && toleration.effect !== taint.effect) return false;
  if (toleration.key !== undefined && toleration.key !== "" && toleration.key !== taint.key) return false;
  return toleration.operator === "Exists" || (toleration.value ?? "") === (taint.value ?? "");
}

/** The first taint with one of the effects that a pod does not tolerate. */
export function untoleratedTaint(
  taints: readonly Taint[] | undefined,
  tolerations: readonly Toleration[] | undefined,
  effects: readonly TaintEffect[],
): Taint | undefined {
  return taints?.find(
    (taint) => effects.includes(taint.effect) && tolerations?.some((each) => tolerates(each, taint)) !== true,
  );
}
