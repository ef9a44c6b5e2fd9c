import type { Cluster, ClusterProvider } from "@bowline/api";
import type { Clock, Logger } from "@bowline/core";

import type { ResourceRecords } from "./resource-record.ts";

/** A cluster as it is wanted. */
export interface WantedCluster {
  /** The id of its object, which is in every tag and every token. */
  readonly id: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly spec: Cluster["spec"];
}

/**
 * Everything a provider works with. The same is given by the controller of a server, by the command line, and by tests.
 */
export interface ProviderWork {
  readonly cluster: WantedCluster;
  /** Names the installation in tags, so that its orphans are found. */
  readonly installation: string;
  /** Whether the status of its object tells of anything that was made once; missing where no object could tell. */
  readonly wasBegun?: boolean;
  readonly records: ResourceRecords;
  /** Makes every call that may leave something behind; tests count them, and die after each. */
  readonly call: Call;
  /** The values of a Credential. They are for the call at hand and for nothing else: never logged, stored or thrown. */
  readonly credential: (name: string) => Promise<Readonly<Record<string, string>>>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

export type Call = <T>(subject: string, call: () => Promise<T>) => Promise<T>;

/**
 * How a cluster stands with its provider.
 *
 * - `creating`: not all of it is there.
 * - `updating`: it works, and is being made what its object says now.
 * - `ready`: it is there, and as its object says.
 * - `blocked`: a person has to do something; it is looked at again all the same.
 * - `lost`: it was there, and is gone without having been deleted here.
 * - `deleting`, `gone`: after it was asked to go.
 */
export type ProviderState = "creating" | "updating" | "ready" | "blocked" | "lost" | "deleting" | "gone";

export interface ProviderStep {
  /** From 1. */
  readonly number: number;
  readonly of: number;
  /** `Waiting for the control plane`. */
  readonly text: string;
  readonly expectedSeconds?: number;
}

/** What came of one look, or of one step. */
export interface ProviderAnswer {
  readonly state: ProviderState;
  /** One word for programs, such as `QuotaTooLow`. */
  readonly reason?: string;
  /** A sentence for people; no secrets. */
  readonly message?: string;
  readonly step?: ProviderStep;
  /** When to look again; the caller decides when missing. */
  readonly retryAfterMs?: number;
  /** Names of what is still there at the end of a deletion. */
  readonly leftOver?: readonly string[];
}

export interface ProviderPlan {
  /** What would be made, in order, one line for each. */
  readonly steps: readonly string[];
  /** An estimate; missing where nobody knows. */
  readonly hourlyCost?: { readonly amount: number; readonly currency: string };
  /** How long it usually takes. */
  readonly expectedSeconds?: number;
}

/** A way into a cluster before its agent is there. It is used at once, and kept nowhere. */
export interface ClusterAccess {
  readonly kubeconfig: string;
  /**
   * Names and addresses under which pods of the cluster reach the machine that this runs on, the likeliest first, where
   * that is not what everybody calls it.
   */
  readonly hostAddresses?: readonly string[];
}

/** Something outside with the mark of this installation. */
export interface OrphanedResource {
  /** As its maker calls it. */
  readonly id: string;
  readonly type: string;
  readonly region?: string;
  /** The id of the cluster that it was made for, as its mark says. */
  readonly clusterId: string;
  /** Its own mark, where that can be read: of a cluster that is known, nobody may remember the resource. */
  readonly token?: string;
}

/** Everything it takes to look for what nobody knows of. */
export interface OrphanSearch extends Omit<ProviderWork, "cluster" | "records" | "call"> {
  /** The ids of the clusters that there are, whichever provider made them. */
  readonly clusterIds: ReadonlySet<string>;
  /** Those of this provider: where to look, and with which credentials. */
  readonly clusters: readonly WantedCluster[];
  /** Told of a place that could not be looked at, in words, and why; the others are looked at all the same. */
  readonly onMissed: (place: string, error: unknown) => void;
}

/**
 * Makes clusters of one kind. None of its methods waits for anything: each does what can be done within seconds and says
 * when to come again. All of them may be called again with the same input, by another process, after any of them was
 * cut off anywhere.
 */
export interface Provider {
  readonly name: ClusterProvider;
  /** What would be made; nothing is. */
  plan(work: ProviderWork): Promise<ProviderPlan>;
  /** Looks, and changes nothing outside. */
  observe(work: ProviderWork): Promise<ProviderAnswer>;
  /** One step towards what the object says. */
  next(work: ProviderWork): Promise<ProviderAnswer>;
  /** One step towards nothing. */
  delete(work: ProviderWork): Promise<ProviderAnswer>;
  credentials(work: ProviderWork): Promise<ClusterAccess>;
  /**
   * Takes back what `credentials` needs, once the agent is there; called again until it answers that nothing of it is left.
   */
  revokeCredentials?(work: ProviderWork): Promise<boolean>;
  /**
   * Whatever has the mark of this installation, or that of it which belongs to none of its clusters: whoever asks leaves
   * out what is remembered. Changes nothing.
   */
  orphans?(search: OrphanSearch): Promise<readonly OrphanedResource[]>;
}

export type ProviderGoal = "present" | "absent";

/** One round: looks, and does the next step if there is one to do. */
export async function advance(
  provider: Pick<Provider, "observe" | "next" | "delete">,
  work: ProviderWork,
  goal: ProviderGoal,
): Promise<ProviderAnswer> {
  const observed = await provider.observe(work);
  if (goal === "absent") return observed.state === "gone" ? observed : provider.delete(work);
  return isSettled(observed) ? observed : provider.next(work);
}

/** What is lost is not made again by itself: somebody took it away, or its data would be missing. */
function isSettled({ state }: ProviderAnswer): boolean {
  return state === "ready" || state === "lost";
}
