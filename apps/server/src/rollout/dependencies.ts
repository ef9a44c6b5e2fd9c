import type { WorkloadInstance, WorkloadPlacement } from "@bowline/api";
import { findCondition } from "@bowline/runtime";

import type { Wait } from "./plan-rollout.ts";

type Instance = Pick<WorkloadInstance, "metadata" | "spec">;

/** Why an instance has to wait for another one in a cluster; undefined when it has not. */
export function dependencyWait(
  { spec: { dependsOn = [] } }: Instance,
  cluster: string,
  /** Of the instances that it depends on. */
  placements: readonly WorkloadPlacement[],
): Wait | undefined {
  for (const { instance, condition } of dependsOn) {
    const placement = placements.find(({ spec }) => spec.instance === instance && spec.cluster === cluster);
    const message = dependencyProblem(instance, condition, placement);
    if (message !== undefined) return { reason: "WaitingForDependency", message };
  }
  return undefined;
}

function dependencyProblem(
  instance: string,
  condition: "Ready" | "Applied",
  placement: WorkloadPlacement | undefined,
): string | undefined {
  if (placement === undefined) return `It waits for wi/${instance}, which is not in this cluster.`;
  const found = findCondition(placement.status.conditions, condition);
  const isCurrent = found?.observedGeneration === placement.metadata.generation;
  if (isCurrent && found?.status === "True") return undefined;
  const why = isCurrent && found !== undefined && found.message !== "" ? `: ${found.message}` : ".";
  return `It waits until wi/${instance} is ${condition === "Ready" ? "ready" : "applied"} here${why}`;
}

/** As much of an instance as says what it depends on. */
export interface DependentInstance {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly dependsOn?: readonly { readonly instance: string }[] };
}

/** The way from an instance back to itself by what instances depend on; undefined when there is none. */
export function dependencyCycle(
  name: string,
  dependsOn: readonly string[],
  instances: readonly DependentInstance[],
): readonly string[] | undefined {
  const known = new Map(
    instances.map(({ metadata, spec }) => [
      metadata.name,
      (spec.dependsOn ?? []).map(({ instance }) => instance),
    ]),
  );
  known.set(name, [...dependsOn]);
  const seen = new Set<string>();
  const paths: string[][] = [[name]];
  for (let path = paths.shift(); path !== undefined; path = paths.shift()) {
    for (const next of known.get(path.at(-1) ?? "") ?? []) {
      if (next === name) return [...path, name];
      if (seen.has(next)) continue;
      seen.add(next);
      paths.push([...path, next]);
    }
  }
  return undefined;
}
