import { sitePlans } from "../site/site-plan.ts";

/** Everything that the demo shows. */
export interface DemoState {
  readonly startedAtMs: number;
  /** The address of the server. */
  readonly server: string;
  /** Whether everything is up that belongs to it. */
  readonly isReady: boolean;
  readonly clusters: readonly ClusterState[];
  /** The latest first. */
  readonly requests: readonly ShownRequest[];
  /** Facts that somebody should know about this machine. */
  readonly notes: readonly string[];
}

export interface ClusterState {
  readonly name: string;
  readonly phase: "starting" | "connected" | "offline";
  /** Where its agent runs. */
  readonly place: string;
  readonly kubernetesVersion?: string | undefined;
  readonly connectedSinceMs?: number | undefined;
  /** How long a small request takes to the API server and back, through the tunnel. */
  readonly roundTripMs?: number | undefined;
  readonly pods?: { readonly ready: number; readonly total: number };
  /** How many requests went to it. */
  readonly requests: number;
}

/** A line of the audit log, for people. */
export interface ShownRequest {
  readonly id: string;
  readonly atMs: number;
  readonly who: string;
  readonly verb: string;
  readonly what: string;
  /** Empty for requests to the server itself. */
  readonly cluster: string;
  readonly status: number;
  readonly durationMs: number | undefined;
  /** How many alike it stands for. */
  readonly count: number;
}

/** Before anything has started. */
export function initialState(server: string, startedAtMs: number): DemoState {
  const clusters = sitePlans.map(({ name }): ClusterState => ({
    name,
    phase: "starting",
    place: "",
    requests: 0,
  }));
  return { startedAtMs, server, isReady: false, clusters, requests: [], notes: [] };
}

const unknownPlace = "a cluster of yours";

/** The state with a change to one cluster, which is added when nobody knew of it. */
export function withCluster(state: DemoState, name: string, change: Partial<ClusterState>): DemoState {
  if (state.clusters.some((cluster) => cluster.name === name)) return withKnownCluster(state, name, change);
  const added: ClusterState = { name, phase: "starting", place: unknownPlace, requests: 0, ...change };
  return { ...state, clusters: [...state.clusters, added] };
}

/** The same, but a cluster that was removed meanwhile stays so. */
export function withKnownCluster(state: DemoState, name: string, change: Partial<ClusterState>): DemoState {
  const clusters = state.clusters.map((cluster) =>
    cluster.name === name ? { ...cluster, ...change } : cluster,
  );
  return { ...state, clusters };
}

export function withoutCluster(state: DemoState, name: string): DemoState {
  return { ...state, clusters: state.clusters.filter((cluster) => cluster.name !== name) };
}

const keptRequests = 200;

/** The state with requests that came after all it has, the latest first. */
export function withRequests(state: DemoState, latest: readonly ShownRequest[]): DemoState {
  if (latest.length === 0) return state;
  const requests = [...latest, ...state.requests].slice(0, keptRequests);
  const counted = Map.groupBy(latest, ({ cluster }) => cluster);
  const clusters = state.clusters.map((cluster) => {
    const more = (counted.get(cluster.name) ?? []).reduce((sum, { count }) => sum + count, 0);
    return more === 0 ? cluster : { ...cluster, requests: cluster.requests + more };
  });
  return { ...state, requests, clusters };
}

/** The state of the demo now. Followers put here what they find out; the view shows it. */
export class Board {
  #state: DemoState;
  readonly #listeners = new Set<(state: DemoState) => void>();

  constructor(state: DemoState) {
    this.#state = state;
  }

  get state(): DemoState {
    return this.#state;
  }

  update(change: (state: DemoState) => DemoState): void {
    const next = change(this.#state);
    if (next === this.#state) return;
    this.#state = next;
    for (const listener of this.#listeners) listener(next);
  }

  /** Returns what ends it. */
  subscribe(listener: (state: DemoState) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}
