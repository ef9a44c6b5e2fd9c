import type { KubeObject } from "@bowline/kube";

import { conditionOf, type FoundCondition } from "./read-conditions.ts";

/** A GatewayClass to use, or why there is none. */
export type ChosenClass =
  | {
      readonly name: string;
      readonly controller: string;
      /** Whether a controller has taken it; one that has not yet may do so any moment. */
      readonly accepted: FoundCondition | undefined;
    }
  | {
      readonly message: string;
      /** Whether one could be installed, because the one that is wanted, or any, is not there. */
      readonly isAbsent: boolean;
    };

/** Marks the class that Gateways of Bowline use in a cluster, where there are several. */
export const defaultClass = "bowline.dev/default-class";

interface ClassQuestion {
  readonly wanted: string | undefined;
  /** The one that is used already: where nobody says otherwise, one that comes later changes nothing. */
  readonly used?: string | undefined;
  readonly cluster: string;
}

/** Chooses the class that is wanted, or the one that stands for the cluster: the one that is marked, or the only one. */
export function chooseClass(
  classes: readonly KubeObject[],
  { wanted, used, cluster }: ClassQuestion,
): ChosenClass {
  const names = classes.map(({ metadata }) => metadata.name ?? "").toSorted();
  const known = names.length === 0 ? "it has none" : `it has ${names.join(", ")}`;
  if (wanted !== undefined) {
    const found = classes.find(({ metadata }) => metadata.name === wanted);
    if (found !== undefined) return chosen(found);
    return { message: `Cluster ${cluster} has no GatewayClass ${wanted}; ${known}.`, isAbsent: true };
  }
  const marked = classes.filter(({ metadata }) => metadata.annotations?.[defaultClass] === "true");
  const candidates = marked.length === 0 ? classes : marked;
  const [first, ...others] = candidates;
  if (first === undefined) {
    const message = `Cluster ${cluster} has no GatewayClass: nothing there answers for a Gateway.`;
    return { message, isAbsent: true };
  }
  if (others.length === 0) return chosen(first);
  const before = candidates.find(({ metadata }) => metadata.name === used);
  if (before !== undefined) return chosen(before);
  const which = marked.map(({ metadata }) => metadata.name).join(", ");
  const problem =
    marked.length === 0
      ? `none of the GatewayClasses is marked as the one to use (${known})`
      : `several GatewayClasses are marked as the one to use (${which})`;
  return {
    message: `In cluster ${cluster}, ${problem}; name one in spec.class, or set the annotation ${defaultClass}=true on one.`,
    isAbsent: false,
  };
}

function chosen(object: KubeObject): ChosenClass {
  const spec = object["spec"];
  const controller =
    typeof spec === "object" && spec !== null && "controllerName" in spec ? String(spec.controllerName) : "";
  return {
    name: object.metadata.name ?? "",
    controller,
    accepted: conditionOf(object["status"], "Accepted"),
  };
}
