import type { WantedKind, WantedKinds } from "../observe/kind-watches.ts";
import { kindKey, type KindRef } from "../observe/kube-message.ts";
import { reportFields } from "./object-report.ts";
import type { WatchedWorkload } from "./watched-workload.ts";

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

/** A cluster with more kinds than this in its workloads is not one that somebody set up. */
const maxKinds = 256;

/** Nodes own the pods that kubelets run by themselves; nothing owns a node. */
const ownsNothingOfOurs: ReadonlySet<string> = new Set(["/Node"]);

/**
 * The kinds to watch, from everything that workloads name; of those that they name themselves, more is read. `ownersSeen` are the kinds that own something which is
 * watched already: where a workload has custom resources, those may own pods through any of them.
 */
export function wantedKinds(
  workloads: Iterable<WatchedWorkload>,
  ownersSeen: Iterable<KindRef> = [],
): WantedKinds {
  const wanted = new Map<string, WantedKind>();
  const add = ({ group, kind }: KindRef, isNamed: boolean): void => {
    const key = kindKey({ group, kind });
    if (wanted.has(key) || wanted.size >= maxKinds) return;
    wanted.set(key, { group, kind, fields: reportFields({ group, kind }, isNamed) });
  };
  for (const { resources } of workloads) for (const { kind } of resources) add(kind, true);
  const named = [...wanted.values()];
  for (const kind of named) for (const owned of ownedBy.get(kindKey(kind)) ?? []) add(owned, false);
  if (named.some(isCustom)) {
    add(pod, false);
    for (const owner of ownersSeen) if (!ownsNothingOfOurs.has(kindKey(owner))) add(owner, false);
  }
  return wanted;
}

/** Custom resources may own pods; kinds of Kubernetes that do are known. */
function isCustom({ group }: KindRef): boolean {
  return group.includes(".") && !group.endsWith(".k8s.io");
}
