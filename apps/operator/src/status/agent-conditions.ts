import type { MetricsAgentStatus, RenderResult } from "@bowline/monitoring";
import { setCondition, summarize, type Condition, type ConditionUpdate } from "@bowline/runtime";

import type { RejectedObject } from "./outcome.ts";

type ConditionInput = Omit<ConditionUpdate, "observedGeneration">;

/**
 * The conditions of an agent:
 *
 * - `Reconciled`: everything that the spec asks for is written
 * - `Available`: in each shard a collector is ready
 * - `MonitorsSelected`: there is something to collect
 * - `MonitorsAccepted`: nothing was left out of the configuration; if not, it names what, why, and what to do
 * - `Ready`: the first two
 *
 * A monitor that is left out does not make an agent unready: the others are collected.
 */
export function withConditions(
  before: readonly Condition[],
  updates: readonly ConditionInput[],
  { generation, nowMs }: { readonly generation: number; readonly nowMs: number },
): readonly Condition[] {
  const updated = updates.reduce<readonly Condition[]>(
    (conditions, each) => setCondition(conditions, { ...each, observedGeneration: generation }, nowMs),
    before,
  );
  return summarize(updated, { positive: ["Reconciled", "Available"] }, { generation, nowMs });
}

export function reconciled(): ConditionInput {
  return { type: "Reconciled", status: "True", reason: "Written", message: "" };
}

export function notReconciled({
  reason,
  message,
}: {
  readonly reason: string;
  readonly message: string;
}): ConditionInput {
  return { type: "Reconciled", status: "False", reason, message };
}

export function paused(): ConditionInput {
  const message = "spec.paused is true, so nothing is changed; set it to false to go on.";
  return { type: "Reconciled", status: "Unknown", reason: "Paused", message };
}

/** `readyReplicas` of each shard, of which there should be `replicas`. */
export function available(readyReplicas: readonly number[], replicas: number): ConditionInput {
  const type = "Available";
  const idle = readyReplicas.flatMap((ready, shard) => (ready < Math.min(1, replicas) ? [shard] : []));
  const sum = readyReplicas.reduce((total, ready) => total + ready, 0);
  const message = `${sum} of ${readyReplicas.length * replicas} collectors are ready.`;
  if (idle.length === 0) return { type, status: "True", reason: "Collecting", message };
  const without = `No collector is ready in ${idle.length} of ${readyReplicas.length} shards.`;
  return { type, status: "False", reason: "NotCollecting", message: `${message} ${without}` };
}

/** Says why nothing is selected, since nothing else would. */
export function monitorsSelected({ explanation }: RenderResult): ConditionInput {
  const type = "MonitorsSelected";
  const instances = explanation.instances.filter(({ selected }) => selected);
  if (instances.length === 0) {
    const [refused] = explanation.instances;
    const why = explanation.notes[0] ?? refused?.reason ?? "There is none in the cluster.";
    return { type, status: "False", reason: "NoInstance", message: `No MetricsInstance is selected. ${why}` };
  }
  if (explanation.monitors.some(({ verdicts }) => verdicts.some(({ selected }) => selected))) {
    return { type, status: "True", reason: "Selected", message: "" };
  }
  const [note] = instances.flatMap(({ notes }) => notes);
  const [verdict] = explanation.monitors.flatMap(({ verdicts }) => verdicts);
  const why = verdict?.reason ?? note ?? "There is none in the cluster.";
  return { type, status: "False", reason: "NoMonitor", message: `No monitor is selected. ${why}` };
}

const namedAtMost = 3;

export function monitorsAccepted({ rejected = [] }: MetricsAgentStatus, total: number): ConditionInput {
  const type = "MonitorsAccepted";
  if (total === 0) return { type, status: "True", reason: "AllAccepted", message: "" };
  const named = rejected.slice(0, namedAtMost).map(sentenceOf);
  const rest = total > named.length ? [`There are ${total - named.length} more.`] : [];
  return { type, status: "False", reason: "Rejected", message: [...named, ...rest].join(" ") };
}

/** A sentence about an object that is left out: why, and what to do about it. */
export function sentenceOf({ object, message, fix }: RejectedObject): string {
  return `${object} is left out: ${message} ${fix}`;
}
