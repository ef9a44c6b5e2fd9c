import { isRecord } from "@bowline/core";

import { conditionOf, explanation, groupOf, textAt, valueAt, type Facts } from "../facts/read-facts.ts";
import { degraded, healthy, healths, progressing, suspended, verdict, type Verdict } from "../verdict.ts";
import { soundsLike } from "./words.ts";

/** Judges custom resources for which what objects have in common is not enough; undefined for all others. */
export function judgeCustomKind(facts: Facts): Verdict | undefined {
  const group = groupOf(facts);
  const rule = customRules.find((row) => row.group.test(group) && row.kind.test(textAt(facts, "kind")));
  return rule?.judge(facts);
}

interface CustomRule {
  readonly group: RegExp;
  readonly kind: RegExp;
  readonly judge: (facts: Facts) => Verdict | undefined;
}

/** An Application of Argo CD carries a verdict of its own, with the same words. */
function judgeApplication(facts: Facts): Verdict | undefined {
  const told = textAt(facts, "status", "health", "status");
  const health = healths.find((candidate) => candidate === told);
  if (health === undefined) return progressing("NotReported", "Argo CD has not looked at it yet.");
  const operation = textAt(facts, "status", "operationState", "phase");
  if (health === "Healthy" && /^(?:Failed|Error)$/u.test(operation)) {
    return degraded(
      "SyncFailed",
      `The last sync failed: ${textAt(facts, "status", "operationState", "message")}`,
    );
  }
  const message = textAt(facts, "status", "health", "message");
  return verdict(health, told, message || `Argo CD says that it is ${told}`);
}

/** A Rollout that was aborted or stands at a pause says so in its phase, with a message beside it. */
function judgeRollout(facts: Facts): Verdict | undefined {
  const phase = textAt(facts, "status", "phase");
  const message = textAt(facts, "status", "message") || `The rollout is ${phase}`;
  if (phase === "Paused") return suspended(textAt(facts, "status", "message") || phase, message);
  return phase === "Degraded" ? degraded("RolloutDegraded", message) : undefined;
}

/** Prometheus and its like say `Degraded` of availability while some of their pods are not ready. */
function judgeMonitoring(facts: Facts): Verdict | undefined {
  const available = conditionOf(facts, "Available");
  return available?.status === "Degraded"
    ? progressing(
        available.reason || "SomePodsNotReady",
        `Some pods are not ready: ${explanation(available)}`,
      )
    : undefined;
}

/** Gloo writes states as numbers or words, one for each namespace that reports. */
const glooStates = ["Pending", "Accepted", "Rejected", "Warning"];

function judgeGloo(facts: Facts): Verdict | undefined {
  const status = facts["status"];
  const perNamespace = valueAt(status, "statuses");
  const reports = isRecord(perNamespace) ? Object.values(perNamespace) : [status];
  for (const report of reports) {
    const state = valueAt(report, "state");
    const word = typeof state === "number" ? glooStates[state] : state;
    if (typeof word !== "string") return undefined;
    const health = soundsLike(word);
    const reason = textAt(report, "reason");
    if (health !== undefined && health !== "Healthy")
      return verdict(health, word, reason || `Its state is ${word}`);
  }
  return reports.length === 0 ? undefined : healthy("Accepted", "It is accepted.");
}

/** A volume snapshot is told of by a flag, which is missing until somebody has begun. */
function judgeSnapshot(facts: Facts): Verdict | undefined {
  const message = textAt(facts, "status", "error", "message");
  if (message !== "") return degraded("SnapshotFailed", message);
  return valueAt(facts, "status", "readyToUse") === true
    ? healthy("ReadyToUse", "The snapshot can be used.")
    : progressing("NotReadyToUse", "The snapshot cannot be used yet.");
}

const customRules: readonly CustomRule[] = [
  { group: /^argoproj\.io$/u, kind: /^Application$/u, judge: judgeApplication },
  { group: /^argoproj\.io$/u, kind: /^Rollout$/u, judge: judgeRollout },
  { group: /^monitoring\.coreos\.com$/u, kind: /^/u, judge: judgeMonitoring },
  { group: /^(?:gateway|gloo)\.solo\.io$/u, kind: /^/u, judge: judgeGloo },
  { group: /^snapshot\.storage\.k8s\.io$/u, kind: /^VolumeSnapshot(?:Content)?$/u, judge: judgeSnapshot },
];
