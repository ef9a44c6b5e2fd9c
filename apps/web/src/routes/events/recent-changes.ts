import type { EventRecord } from "@bowline/api";

/** What happened to one thing of late, in one line. */
export interface RecentChange {
  readonly key: string;
  /** The workload that it belongs to, or the object itself. */
  readonly subject: { readonly kind: string; readonly name: string };
  readonly cluster: string | undefined;
  readonly reasons: readonly { readonly reason: string; readonly count: number }[];
  readonly hasWarning: boolean;
  readonly lastSeenAt: string;
}

const maxReasons = 4;

/**
 * Events since a time, gathered by the workload and the cluster that they are about: a rollout is one line, however
 * many pods it made. The newest first.
 */
export function recentChanges(events: Iterable<EventRecord>, sinceMs: number): RecentChange[] {
  const groups = Map.groupBy(
    [...events].filter(({ lastSeenAt }) => Date.parse(lastSeenAt) >= sinceMs),
    ({ instance, regarding }) =>
      JSON.stringify([
        ...(instance === undefined ? [regarding.kind, regarding.name] : ["WorkloadInstance", instance]),
        regarding.cluster ?? "",
      ]),
  );
  return [...groups]
    .map(([key, group]) => changeOf(key, group))
    .toSorted((a, b) => (a.lastSeenAt < b.lastSeenAt ? 1 : -1));
}

function changeOf(key: string, group: readonly EventRecord[]): RecentChange {
  const newest = group.toSorted((a, b) => (a.lastSeenAt < b.lastSeenAt ? 1 : -1));
  const [first] = newest;
  const counts = Map.groupBy(newest, ({ reason }) => reason);
  const subject =
    first?.instance === undefined
      ? { kind: first?.regarding.kind ?? "", name: first?.regarding.name ?? "" }
      : { kind: "WorkloadInstance", name: first.instance };
  return {
    key,
    subject,
    cluster: first?.regarding.cluster,
    reasons: [...counts].slice(0, maxReasons).map(([reason, { length }]) => ({ reason, count: length })),
    hasWarning: group.some(({ type }) => type === "Warning"),
    lastSeenAt: first?.lastSeenAt ?? "",
  };
}
