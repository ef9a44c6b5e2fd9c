import { Cluster, type SpecOf, type WorkloadInstance } from "@bowline/api";
import type { ObjectStore } from "@bowline/store";

import { findObjects } from "./find-objects.ts";
import type { Statement } from "./resolve-workload.ts";

type Placing = SpecOf<typeof WorkloadInstance>["placement"];

/** The one cluster that instances go to which name none; why there is none, where that cannot be told. */
export type DefaultCluster = { readonly cluster: Cluster } | { readonly hold: Statement };

/** Whether an instance leaves it to the default where it goes. */
export function namesNone({ clusters, selector }: Placing): boolean {
  return clusters === undefined && selector === undefined;
}

/**
 * Two defaults are allowed for the moment in which one takes over from the other, in whichever order that is written:
 * until there is one again, instances stay where they are.
 */
export async function defaultCluster(objects: Pick<ObjectStore, "list">): Promise<DefaultCluster> {
  const marked = await findObjects(objects, Cluster, { fields: "spec.default=true" });
  const [first, ...others] = marked.filter(({ metadata }) => metadata.deletedAt === undefined);
  if (first !== undefined && others.length === 0) return { cluster: first };
  if (first === undefined) {
    const message =
      "It names no clusters, and no Cluster has spec.default. Name one in spec.placement, or mark one as the default.";
    return { hold: { status: "False", reason: "NoDefaultCluster", message } };
  }
  const names = [first, ...others].map(({ metadata }) => metadata.name).join(", ");
  const message = `It names no clusters, and several have spec.default: ${names}. Take it from all but one.`;
  return { hold: { status: "False", reason: "TwoDefaultClusters", message } };
}
