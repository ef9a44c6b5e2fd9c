import type { Cluster, SpecOf, WorkloadInstance } from "@bowline/api";

type Bounds = Pick<SpecOf<typeof WorkloadInstance>, "limit" | "spread">;

export interface ClusterChoice {
  readonly chosen: readonly Cluster[];
  /** Clusters that match and are not taken, each with the reason. */
  readonly passedOver: readonly { readonly cluster: string; readonly message: string }[];
  /** Why it cannot be as the placement says; undefined when it is. */
  readonly problem: string | undefined;
}

/**
 * Chooses among the clusters of a placement. Clusters that have the workload come first, so that it moves only
 * where it no longer fits; the others are taken by their names, from the group that has fewest.
 */
export function chooseClusters(
  { limit = Infinity, spread }: Bounds,
  clusters: readonly Cluster[],
  present: ReadonlySet<string>,
): ClusterChoice {
  const groupOf = (cluster: Cluster): string | undefined =>
    spread === undefined ? "" : cluster.metadata.labels[spread.by];
  const groups = new Map<string, number>();
  const chosen: Cluster[] = [];
  const passedOver: { cluster: string; message: string }[] = [];
  const pass = ({ metadata }: Cluster, message: string): number =>
    passedOver.push({ cluster: metadata.name, message });
  const rest = new Set(
    clusters.toSorted(
      (a, b) => rankIn(present, a) - rankIn(present, b) || (a.metadata.name < b.metadata.name ? -1 : 1),
    ),
  );
  while (rest.size > 0) {
    const next = nextOf([...rest], { present, count: (each) => groups.get(groupOf(each) ?? "") ?? 0 });
    rest.delete(next);
    const group = groupOf(next);
    const size = groups.get(group ?? "") ?? 0;
    if (group === undefined) pass(next, `It has no label ${spread?.by ?? ""}, by which it is spread.`);
    else if (spread?.max !== undefined && size >= spread.max) {
      pass(next, `${spread.max} clusters with ${spread.by}=${group} have it already.`);
    } else if (chosen.length >= limit) pass(next, `${limit} clusters have it already.`);
    else {
      groups.set(group, size + 1);
      chosen.push(next);
    }
  }
  const min = spread?.min ?? 0;
  const problem =
    groups.size < min
      ? `It is to be spread over ${min} values of ${spread?.by ?? ""}, and there are ${groups.size}.`
      : undefined;
  return { chosen, passedOver, problem };
}

function rankIn(present: ReadonlySet<string>, { metadata }: Cluster): number {
  return present.has(metadata.name) ? 0 : 1;
}

/** Those that have it, then the first of the smallest group; the rest is in order already. */
function nextOf(
  rest: readonly Cluster[],
  { present, count }: { readonly present: ReadonlySet<string>; readonly count: (cluster: Cluster) => number },
): Cluster {
  const [first] = rest;
  if (first === undefined) throw new TypeError("There is no cluster to choose.");
  if (present.has(first.metadata.name)) return first;
  return rest.reduce((best, each) => (count(each) < count(best) ? each : best), first);
}
