import type { WorkloadPlacement } from "@bowline/api";

import { sitePlans } from "../site/site-plan.ts";

/** Everything that the demo shows. Text in it is fit for a terminal, whoever chose it. */
export interface DemoState {
  readonly startedAtMs: number;
  /** The address of the server. */
  readonly server: string;
  /** An address that opens the console signed in; undefined before the server is up. */
  readonly consoleLink?: string | undefined;
  /** Whether everything is up that belongs to it. */
  readonly isReady: boolean;
  readonly clusters: readonly ClusterState[];
  /** By instance and cluster. */
  readonly workloads: readonly WorkloadState[];
  /** What happens to workloads, the latest first. */
  readonly events: readonly ShownEvent[];
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

/** A workload in one cluster. */
export interface WorkloadState {
  readonly id: string;
  readonly instance: string;
  readonly cluster: string;
  readonly health: Health;
  /** Why it is not ready, as one word; empty when it is. */
  readonly reason: string;
  /** The same as a sentence. */
  readonly message: string;
  readonly healthyCount: number;
  readonly resourceCount: number;
}

type Health = NonNullable<WorkloadPlacement["status"]["health"]>;

/** Something that happened to a workload in a cluster, as often as it did. */
export interface ShownEvent {
  /** The same for all that are told in one line. */
  readonly key: string;
  /** The last time. */
  readonly atMs: number;
  readonly cluster: string;
  readonly instance: string;
  readonly isWarning: boolean;
  readonly reason: string;
  readonly message: string;
  readonly count: number;
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
  const nothing = { workloads: [], events: [], requests: [], notes: [] };
  return { startedAtMs, server, isReady: false, clusters, ...nothing };
}

const unprintable = /[^\x20-\x7E]/gu;
const longestText = 400;

/** Text of clients and clusters without anything that a terminal would obey, and without an end that nobody sees. */
export function printable(text: string): string {
  return text.slice(0, longestText).replaceAll(/\s+/gu, " ").replaceAll(unprintable, "?");
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

/** More than that nobody could read; and a cluster may have thousands. */
const keptWorkloads = 500;

/** The state with a workload in a cluster as it is now. */
export function withWorkload(state: DemoState, workload: WorkloadState): DemoState {
  const others = withoutWorkload(state, workload.id).workloads;
  const workloads = [...others, workload].toSorted(
    (one, other) => compare(one.instance, other.instance) || compare(one.cluster, other.cluster),
  );
  return { ...state, workloads: workloads.slice(0, keptWorkloads) };
}

export function withoutWorkload(state: DemoState, id: string): DemoState {
  const workloads = state.workloads.filter((workload) => workload.id !== id);
  return workloads.length === state.workloads.length ? state : { ...state, workloads };
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

const keptEvents = 50;

/** The state with an event, together with all that are told in the same line. */
export function withEvent(state: DemoState, event: ShownEvent): DemoState {
  const before = state.events.find(({ key }) => key === event.key);
  const latest = before === undefined || event.atMs >= before.atMs ? event : before;
  const folded = { ...latest, count: event.count + (before?.count ?? 0) };
  const events = [folded, ...state.events.filter((other) => other !== before)].toSorted(
    (one, other) => other.atMs - one.atMs,
  );
  return { ...state, events: events.slice(0, keptEvents) };
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
