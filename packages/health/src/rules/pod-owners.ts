import {
  conditionOf,
  countAt,
  explanation,
  isTrueAt,
  isUnobserved,
  numberAt,
  textAt,
  type Facts,
} from "../facts/read-facts.ts";
import { degraded, healthy, progressing, suspended, type Verdict } from "../verdict.ts";

export const notObserved: Verdict = progressing(
  "NotObserved",
  "The controller has not seen the newest spec yet.",
);

export function judgeDeployment(facts: Facts): Verdict {
  if (isTrueAt(facts, "spec", "paused")) return suspended("Paused", "The rollout is paused.");
  if (isUnobserved(facts)) return notObserved;
  const progress = conditionOf(facts, "Progressing");
  if (progress?.reason === "ProgressDeadlineExceeded") {
    return degraded("ProgressDeadlineExceeded", `The rollout is stuck: ${explanation(progress)}`);
  }
  const [desired, updated] = [wanted(facts), countAt(facts, "status", "updatedReplicas")];
  const [all, available] = [
    countAt(facts, "status", "replicas"),
    countAt(facts, "status", "availableReplicas"),
  ];
  return (
    judgeReplicaFailure(facts) ??
    (updated < desired ? rolling(`${updated} of ${desired} pods are of the newest revision`) : undefined) ??
    (all > updated ? rolling(`${all - updated} pods of older revisions have still to go`) : undefined) ??
    (available < updated ? rolling(`${available} of ${updated} pods are available`) : undefined) ??
    allThere(desired)
  );
}

/** ReplicaSets and ReplicationControllers. */
export function judgeReplicaSet(facts: Facts): Verdict {
  if (isUnobserved(facts)) return notObserved;
  const desired = wanted(facts);
  const available = countAt(facts, "status", "availableReplicas");
  return (
    judgeReplicaFailure(facts) ??
    (available < desired ? rolling(`${available} of ${desired} pods are available`) : allThere(desired))
  );
}

export function judgeStatefulSet(facts: Facts): Verdict {
  if (isUnobserved(facts)) return notObserved;
  const desired = wanted(facts);
  const ready = countAt(facts, "status", "readyReplicas");
  if (ready < desired) return rolling(`${ready} of ${desired} pods are ready`);
  const byHand = judgeOnDelete(facts, desired);
  if (byHand !== undefined) return byHand;
  const partition = countAt(facts, "spec", "updateStrategy", "rollingUpdate", "partition");
  const updated = countAt(facts, "status", "updatedReplicas");
  if (partition > 0) {
    const due = Math.max(0, desired - partition);
    if (updated < due) return rolling(`${updated} of ${due} pods above the partition are updated`);
    return healthy(
      "PartitionUpdated",
      `All ${due} pods from number ${partition} on are updated; those below are kept back.`,
    );
  }
  const [current, newest] = [
    textAt(facts, "status", "currentRevision"),
    textAt(facts, "status", "updateRevision"),
  ];
  if (current !== newest) return rolling(`${updated} of ${desired} pods are of the newest revision`);
  return allThere(desired);
}

export function judgeDaemonSet(facts: Facts): Verdict {
  if (isUnobserved(facts)) return notObserved;
  const desired = countAt(facts, "status", "desiredNumberScheduled");
  const updated = countAt(facts, "status", "updatedNumberScheduled");
  const available = countAt(facts, "status", "numberAvailable");
  if (facts["status"] === undefined) return progressing("NoStatus", "The controller has not reported yet.");
  const byHand = judgeOnDelete(facts, desired);
  if (byHand === undefined && updated < desired) {
    return rolling(`${updated} of ${desired} nodes have the newest revision`);
  }
  if (available < desired) return rolling(`the pods on ${available} of ${desired} nodes are available`);
  return byHand ?? healthy("Available", `The pods on all ${desired} nodes are available.`);
}

/** With this strategy nothing is updated until somebody deletes pods, so that old ones are no fault. */
function judgeOnDelete(facts: Facts, desired: number): Verdict | undefined {
  if (textAt(facts, "spec", "updateStrategy", "type") !== "OnDelete") return undefined;
  return healthy("OnDelete", `All ${desired} pods run; they are updated when somebody deletes them.`);
}

function judgeReplicaFailure(facts: Facts): Verdict | undefined {
  const failure = conditionOf(facts, "ReplicaFailure");
  if (failure?.status !== "True") return undefined;
  const reason = /exceeded quota/u.test(failure.message)
    ? "QuotaExceeded"
    : failure.reason || "ReplicaFailure";
  return degraded(reason, `Pods cannot be created: ${explanation(failure)}`);
}

/** One is the default of Kubernetes. */
const wanted = (facts: Facts): number => numberAt(facts, "spec", "replicas") ?? 1;

const rolling = (what: string): Verdict => progressing("RollingOut", `The rollout goes on: ${what}.`);

function allThere(desired: number): Verdict {
  if (desired === 0) return healthy("ScaledToZero", "No pods are wanted, and there are none.");
  return healthy(
    "Available",
    desired === 1 ? "The one pod is available." : `All ${desired} pods are available.`,
  );
}
