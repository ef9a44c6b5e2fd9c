import type { Clock } from "@bowline/core";

import type { Provider, WantedCluster } from "../provider.ts";

/** How many there are of each type of thing; types of which there is none are missing. */
export type Inventory = Readonly<Record<string, number>>;

/** The parts of the contract, in the order of their tests. */
export const contractTopics = [
  "creating",
  "looking",
  "dying while creating",
  "deleting",
  "dying while deleting",
  "deleting what is half made",
  "lost answers",
  "lost records",
  "refused calls",
  "changing",
  "things of others",
  "things taken away",
  "outages",
  "secrets",
] as const;
export type ContractTopic = (typeof contractTopics)[number];

/** A provider, and the world in which the contract is tried on it. */
export interface ProviderStage {
  /** The spec of the cluster; `provider` and its settings among it. */
  readonly spec: WantedCluster["spec"];
  /** Another one for the same cluster, for `changing`. */
  readonly changedSpec?: WantedCluster["spec"];
  /** The values of each Credential that the spec names: they have to be like nothing else, as they must turn up nowhere. */
  readonly credentials?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** What becomes of a cluster whose things somebody took away: `lost` if missing. */
  readonly afterLoss?: "lost" | "made again";
  /** The reason by which a name that is taken is told: `NameTaken` if missing. */
  readonly refusal?: string;
  /** A process dies after each call and each record that it writes, or, where a run is long, after each call only. */
  readonly cuts?: "calls and records" | "calls";
  /** Whether the number of calls depends on how fast the world is, so that a cut may never be reached. */
  readonly callsVary?: boolean;
  /** What this provider cannot have, with the reason why. */
  readonly omitted?: Readonly<Partial<Record<ContractTopic, string>>>;
  /** How long one test may take, where that is longer than others may. */
  readonly timeoutMs?: number;
  /** An empty world. Every test, and every cut, has one of its own. */
  openWorld(): Promise<ProviderWorld>;
}

export interface ProviderWorld extends AsyncDisposable {
  /** The time of the world and of everybody in it. */
  readonly clock: Clock;
  /** Lets time pass; on a manual clock that is `advance`. */
  pass(ms: number): Promise<void>;
  /** Where the cluster must not be the same in two worlds. */
  readonly cluster?: Partial<Omit<WantedCluster, "spec">>;
  /** The provider as a process that starts now would make it: nothing is remembered of an earlier one. */
  provider(): Provider;
  /** What is there because of the cluster, whether anybody remembers it or not. Things of others do not count. */
  inventory(): Promise<Inventory>;
  /** What is there when a cluster of that spec is ready. */
  complete(spec: WantedCluster["spec"]): Inventory;
  /** For `things of others`: puts a thing there that has the name which ours would have, and is somebody else's. */
  putForeign?(): Promise<void>;
  /** Everything about the things of others that a careless provider could change. */
  foreign?(): Promise<unknown>;
  /** For `things taken away`: what a person does who takes the cluster away by hand. */
  takeAway?(): Promise<void>;
  /** For `outages`: from then on nothing answers, neither looks nor calls, or all do again. */
  breakDown?(isDown: boolean): Promise<void>;
}
