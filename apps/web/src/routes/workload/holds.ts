import type { WorkloadInstance, WorkloadPlacement } from "@bowline/api";

/** Something that waits until somebody agrees to it. */
export interface Hold {
  readonly reason: string;
  /** Of a prune, which is held in each cluster by itself. */
  readonly cluster: string | undefined;
  readonly message: string;
  /** What would be deleted: kind, namespace and name. */
  readonly resources: readonly string[];
}

const heldByInstance: ReadonlySet<string> = new Set(["WaitingForApproval", "PlacementHeld"]);

/** Everything that an instance holds back, in itself and in its clusters. */
export function holdsOf(
  { status }: Pick<WorkloadInstance, "status">,
  placements: Iterable<Pick<WorkloadPlacement, "spec" | "status">>,
): Hold[] {
  const ready = status.conditions.find(({ type }) => type === "Ready");
  const own: Hold[] =
    ready?.status === "False" && heldByInstance.has(ready.reason)
      ? [{ reason: ready.reason, cluster: undefined, message: ready.message, resources: [] }]
      : [];
  const prunes = [...placements].flatMap(({ spec, status: { conditions, resources } }): Hold[] => {
    const applied = conditions.find(({ type }) => type === "Applied");
    if (applied?.status !== "False" || applied.reason !== "PruneHeld") return [];
    const held = resources.filter(({ state }) => state === "held");
    return [
      {
        reason: applied.reason,
        cluster: spec.cluster,
        message: applied.message,
        resources: held.map(({ kind, namespace, name }) =>
          namespace === undefined ? `${kind} ${name}` : `${kind} ${namespace}/${name}`,
        ),
      },
    ];
  });
  return [...own, ...prunes.toSorted((a, b) => ((a.cluster ?? "") < (b.cluster ?? "") ? -1 : 1))];
}

/** As much of an id as people need to tell revisions apart. */
export function shortRevision(id: string | undefined): string {
  return id === undefined ? "–" : id.replace(/^sha256:/u, "").slice(0, 12);
}
