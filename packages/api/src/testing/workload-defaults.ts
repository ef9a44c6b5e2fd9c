import type { SpecOf } from "../kind/kind.ts";
import type { WorkloadInstance } from "../kinds/workload-instance.ts";

/** Settings that an instance hands on to its placements. */
type SharedSetting =
  | "namespace"
  | "parameters"
  | "prune"
  | "pruneLimit"
  | "deletionPolicy"
  | "conflicts"
  | "drift"
  | "ignore";

/** What an instance says of itself when its author says nothing. */
export function workloadDefaults(): Pick<SpecOf<typeof WorkloadInstance>, SharedSetting> {
  return {
    namespace: "default",
    parameters: {},
    prune: true,
    pruneLimit: { count: 10, percent: 25 },
    deletionPolicy: "delete",
    conflicts: "takeover",
    drift: "correct",
    ignore: [],
  };
}
