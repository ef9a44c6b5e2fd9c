import { isRecord } from "@bowline/core";

import { groupOf, textAt, type Facts } from "./facts/read-facts.ts";
import { judgeByConvention } from "./rules/by-convention.ts";
import { judgeCustomKind } from "./rules/custom-kinds.ts";
import { judgeDeletion } from "./rules/deletion.ts";
import { judgeApiService, judgeDefinition } from "./rules/extensions.ts";
import { judgeCronJob, judgeJob } from "./rules/jobs.ts";
import { judgeDaemonSet, judgeDeployment, judgeReplicaSet, judgeStatefulSet } from "./rules/pod-owners.ts";
import { judgePod } from "./rules/pods.ts";
import {
  judgeAutoscaler,
  judgeIngress,
  judgeService,
  judgeVolume,
  judgeVolumeClaim,
} from "./rules/storage-and-network.ts";
import { verdict, type Verdict } from "./verdict.ts";

/** The rules of kinds that have some of their own, by group and kind. */
const rules: ReadonlyMap<string, (facts: Facts, now?: Date) => Verdict> = new Map([
  ["/Pod", judgePod],
  ["apps/Deployment", judgeDeployment],
  ["apps/ReplicaSet", judgeReplicaSet],
  ["/ReplicationController", judgeReplicaSet],
  ["apps/StatefulSet", judgeStatefulSet],
  ["apps/DaemonSet", judgeDaemonSet],
  ["batch/Job", judgeJob],
  ["batch/CronJob", judgeCronJob],
  ["apps.kruise.io/AdvancedCronJob", judgeCronJob],
  ["/PersistentVolumeClaim", judgeVolumeClaim],
  ["/PersistentVolume", judgeVolume],
  ["/Service", judgeService],
  ["networking.k8s.io/Ingress", judgeIngress],
  ["extensions/Ingress", judgeIngress],
  ["autoscaling/HorizontalPodAutoscaler", judgeAutoscaler],
  ["apiregistration.k8s.io/APIService", judgeApiService],
  ["apiextensions.k8s.io/CustomResourceDefinition", judgeDefinition],
]);

/**
 * The verdict on an object by its facts, as `healthFacts` makes them and an agent sends them; it never throws, whatever
 * they are. With the time it can tell a deletion that takes long from one that has just begun, and a container that fails
 * again and again from one that did so once.
 */
export function judge(facts: unknown, now?: Date): Verdict {
  if (!isRecord(facts)) return verdict("Unknown", "NoFacts", "Nothing is known of the object.");
  if (facts["missing"] === true) return verdict("Missing", "NotFound", "The object is not in the cluster.");
  const kind = textAt(facts, "kind");
  if (kind === "") return verdict("Unknown", "NoKind", "The object does not say what kind it is of.");
  const rule = rules.get(`${groupOf(facts)}/${kind}`);
  return judgeDeletion(facts, now) ?? (rule ?? judgeOther)(facts, now);
}

function judgeOther(facts: Facts): Verdict {
  return judgeCustomKind(facts) ?? judgeByConvention(facts);
}
