import { conditionOf, explanation, isTrueAt, textAt, type Facts } from "../facts/read-facts.ts";
import { degraded, healthy, progressing, suspended, verdict, type Verdict } from "../verdict.ts";
import { judgeContainers, judgeProbes } from "./containers.ts";

export function judgePod(facts: Facts, now?: Date): Verdict {
  const phase = textAt(facts, "status", "phase");
  if (phase === "Succeeded") return healthy("Completed", "The pod has done its work.");
  if (phase === "Failed") return judgeFailed(facts);
  if (phase === "Unknown") {
    return verdict("Unknown", "NodeLost", "The node of the pod has not been heard of for a while.");
  }
  return (
    judgeScheduling(facts) ??
    judgeContainers(facts, now) ??
    judgeProbes(facts) ??
    judgeReadiness(facts, phase)
  );
}

function judgeFailed(facts: Facts): Verdict {
  const reason = textAt(facts, "status", "reason");
  const message = textAt(facts, "status", "message");
  if (reason !== "" || message !== "")
    return degraded(reason || "PodFailed", message || `The pod failed: ${reason}`);
  const container = judgeContainers(facts);
  return container === undefined
    ? degraded("PodFailed", "The pod has failed, and nothing says why.")
    : degraded(container.reason, container.message);
}

function judgeScheduling(facts: Facts): Verdict | undefined {
  const scheduled = conditionOf(facts, "PodScheduled");
  if (scheduled?.status !== "False") return undefined;
  if (scheduled.reason === "SchedulingGated") {
    return suspended("SchedulingGated", `The pod is held back: ${explanation(scheduled)}`);
  }
  if (scheduled.reason === "Unschedulable") {
    return degraded("Unschedulable", `No node can take the pod: ${explanation(scheduled)}`);
  }
  return progressing(scheduled.reason || "Scheduling", `The pod has no node yet: ${explanation(scheduled)}`);
}

function judgeReadiness(facts: Facts, phase: string): Verdict {
  const ready = conditionOf(facts, "Ready");
  if (phase === "Running" && ready?.status === "True") {
    if (runsToAnEnd(facts)) return progressing("Running", "The pod is at work, which has an end.");
    return healthy("Ready", "The pod runs and is ready.");
  }
  if (ready?.status === "False") {
    const evicted = conditionOf(facts, "DisruptionTarget");
    if (evicted?.status === "True")
      return progressing(evicted.reason, `The pod has to go: ${explanation(evicted)}`);
    return progressing(ready.reason || "NotReady", `The pod is not ready: ${explanation(ready)}`);
  }
  return progressing(
    phase || "Pending",
    phase === "" ? "Nothing is known of the pod yet." : `The pod is ${phase}.`,
  );
}

/** A pod that a job or a hook runs is done when it ends; others that are never restarted may run for years. */
function runsToAnEnd(facts: Facts): boolean {
  if (textAt(facts, "spec", "restartPolicy") === "Always") return false;
  return isTrueAt(facts, "hook") || textAt(facts, "owner") === "Job";
}
