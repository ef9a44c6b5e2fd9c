import type { AgentSession, ClusterView } from "@bowline/api";

export interface ClusterNumbers {
  readonly nodes?: { readonly count: number; readonly ready: number } | undefined;
  readonly pods?: { readonly running: number; readonly wanted: number } | undefined;
  /** Pods by phase, the most frequent first. */
  readonly phases: readonly (readonly [phase: string, count: number])[];
}

/** Nodes and pods of a cluster as its agent has counted them. Pods that have done their work are not wanted any more. */
export function clusterNumbers(views: ReadonlyMap<string, ClusterView>, cluster: string): ClusterNumbers {
  const nodes = views.get(`${cluster}/nodes`)?.numbers;
  const phases = Object.entries(views.get(`${cluster}/pods-by-phase`)?.numbers ?? {}).toSorted(
    ([a, one], [b, other]) => other - one || (a < b ? -1 : 1),
  );
  const isCounted = views.has(`${cluster}/pods-by-phase`);
  const sum = (isMeant: (phase: string) => boolean): number =>
    phases.reduce((total, [phase, count]) => total + (isMeant(phase) ? count : 0), 0);
  return {
    nodes: nodes === undefined ? undefined : { count: nodes["count"] ?? 0, ready: nodes["ready"] ?? 0 },
    pods: isCounted
      ? { running: sum((phase) => phase === "Running"), wanted: sum((phase) => phase !== "Succeeded") }
      : undefined,
    phases,
  };
}

export interface RoundTrips {
  readonly rttMs: number | undefined;
  /** The newest last. */
  readonly history: readonly number[];
  /** When something was last heard from an agent. */
  readonly lastSeenAt: string | undefined;
}

/** The way to a cluster: of several sessions the quickest, which requests take too. */
export function roundTripsOf(sessions: readonly AgentSession[], cluster: string): RoundTrips {
  const known = sessions.flatMap(({ cluster: of, numbers }) =>
    of === cluster && numbers !== undefined ? [numbers] : [],
  );
  const [best] = known.toSorted((a, b) => (a.rttMs ?? Infinity) - (b.rttMs ?? Infinity));
  const [latest] = known.map(({ lastSeenAt }) => lastSeenAt).toSorted((a, b) => (a < b ? 1 : -1));
  return { rttMs: best?.rttMs, history: best?.roundTripsMs ?? [], lastSeenAt: latest };
}
