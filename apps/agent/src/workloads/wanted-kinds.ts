import { kindKey, type KindRef, type WatchedWorkload } from "./watched-workload.ts";

/** A kind to watch, and why. */
export interface WantedKind extends KindRef {
  /** How many resources of workloads are of it; 0 for one that is only owned by them. */
  readonly named: number;
  /** Kinds of a lower rank are read first, so that owners are known before what they own. */
  readonly rank: number;
}

const pod: KindRef = { group: "", kind: "Pod" };
const replicaSet: KindRef = { group: "apps", kind: "ReplicaSet" };
const job: KindRef = { group: "batch", kind: "Job" };

/** What kinds of Kubernetes itself own, directly or through others, down to their pods. */
const ownedBy: ReadonlyMap<string, readonly KindRef[]> = new Map([
  ["apps/Deployment", [replicaSet, pod]],
  ["apps/ReplicaSet", [pod]],
  ["apps/StatefulSet", [pod]],
  ["apps/DaemonSet", [pod]],
  ["/ReplicationController", [pod]],
  ["batch/Job", [pod]],
  ["batch/CronJob", [job, pod]],
]);

const rankOf: ReadonlyMap<string, number> = new Map([
  [kindKey(replicaSet), 2],
  [kindKey(job), 2],
  [kindKey(pod), 3],
]);

/** A cluster with more kinds than this in its workloads is not one that somebody set up. */
const maxKinds = 256;

/** Nodes own the pods that kubelets run by themselves; nothing owns a node. */
const ownsNothingOfOurs: ReadonlySet<string> = new Set(["/Node"]);

/**
 * The kinds to watch, from everything that workloads name. `ownersSeen` are the kinds that own something which is
 * watched already: where a workload has custom resources, those may own pods through any of them.
 */
export function wantedKinds(
  workloads: Iterable<WatchedWorkload>,
  ownersSeen: Iterable<KindRef> = [],
): ReadonlyMap<string, WantedKind> {
  const wanted = new Map<string, WantedKind>();
  const add = ({ group, kind }: KindRef, named: number): void => {
    const key = kindKey({ group, kind });
    const before = wanted.get(key);
    if (before === undefined && wanted.size >= maxKinds) return;
    wanted.set(key, { group, kind, named: (before?.named ?? 0) + named, rank: rankOf.get(key) ?? 1 });
  };
  for (const { resources } of workloads) for (const { kind } of resources) add(kind, 1);
  const named = [...wanted.values()];
  for (const kind of named) for (const owned of ownedBy.get(kindKey(kind)) ?? []) add(owned, 0);
  if (named.some(isCustom)) {
    add(pod, 0);
    for (const owner of ownersSeen) if (!ownsNothingOfOurs.has(kindKey(owner))) add(owner, 0);
  }
  return wanted;
}

/** Custom resources may own pods; kinds of Kubernetes that do are known. */
function isCustom({ group }: KindRef): boolean {
  return group.includes(".") && !group.endsWith(".k8s.io");
}
