import type { MetricsInstanceStatus } from "@bowline/monitoring";
import { setCondition, summarize, type Condition, type ConditionUpdate } from "@bowline/runtime";

import { notCounting } from "../targets/target-report.ts";
import { monitorsAccepted } from "./agent-conditions.ts";
import { omitEmpty, type Outcome } from "./outcome.ts";
import { targetFields, targetless, withTargetCondition } from "./target-status.ts";

const maxAgents = 16;

/** The status of an instance, made from the outcomes at the agents that run it. */
export function instanceStatus(
  before: MetricsInstanceStatus | undefined,
  reports: readonly (readonly [string, Outcome])[],
  at: { readonly generation: number; readonly nowMs: number },
): MetricsInstanceStatus {
  // Agents see the same monitors and may enforce different things; the one that leaves out most is shown.
  const [shown] = reports.map(([, outcome]) => outcome).sort((a, b) => b.counts.rejected - a.counts.rejected);
  // Nobody runs it, nobody counts.
  const targets = shown === undefined ? notCounting.total : shown.targets;
  const updates = [
    selected(reports.map(([agent]) => agent)),
    ...(shown === undefined ? [] : [accepted(shown)]),
  ];
  const conditions = updates.reduce<readonly Condition[]>(
    (all, each) => setCondition(all, { ...each, observedGeneration: at.generation }, at.nowMs),
    before?.conditions ?? [],
  );
  const positive = ["Selected", "MonitorsAccepted"];
  const known = new Map((before?.agents ?? []).map((agent) => [agent.name, agent]));
  const status = {
    observedGeneration: at.generation,
    conditions: [...withTargetCondition(summarize(conditions, { positive }, at), targets, at)],
    ...omitEmpty({
      agents: reports.slice(0, maxAgents).map(([name, outcome]) => ({
        name,
        ...outcome.counts,
        ...targetFields(outcome.targets, known.get(name)),
      })),
      rejected: [...(shown?.rejected ?? [])],
      withoutTargets: targetless(targets, before),
    }),
    ...targetFields(targets, before),
  };
  return shown === undefined ? status : { ...status, monitors: shown.counts };
}

type ConditionInput = Omit<ConditionUpdate, "observedGeneration">;

function selected(agents: readonly string[]): ConditionInput {
  if (agents.length > 0) return { type: "Selected", status: "True", reason: "Selected", message: "" };
  const message =
    "No MetricsAgent selects this instance; look at their instanceSelector and instanceNamespaceSelector.";
  return { type: "Selected", status: "False", reason: "NoAgent", message };
}

function accepted({ rejected, counts }: Outcome): ConditionInput {
  return monitorsAccepted({ rejected: [...rejected] }, Math.max(rejected.length, counts.rejected));
}
