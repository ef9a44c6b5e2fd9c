import type { MetricsAgentStatus } from "@bowline/monitoring";
import { removeCondition, setCondition, type Condition } from "@bowline/runtime";

import { instanceTargets, type TargetOutcome, type TargetReport } from "../targets/target-report.ts";
import { omitEmpty } from "./outcome.ts";

interface TargetFields {
  readonly expectedTargets?: number;
}

/** A status, with the targets that were counted; before the first time, with those that it said before. */
export function withTargets(
  status: MetricsAgentStatus,
  before: MetricsAgentStatus | undefined,
  { report, nowMs }: { readonly report: TargetReport | undefined; readonly nowMs: number },
): MetricsAgentStatus {
  const {
    expectedTargets: _expected,
    withoutTargets: _without,
    instances = [],
    conditions = [],
    ...rest
  } = status;
  const known = new Map((before?.instances ?? []).map((instance) => [instance.name, instance]));
  return {
    ...rest,
    ...targetFields(report?.total, before),
    ...omitEmpty({
      withoutTargets: targetless(report?.total, before),
      instances: instances.map(({ expectedTargets: _targets, ...instance }) => ({
        ...instance,
        ...targetFields(instanceTargets(report, instance.name), known.get(instance.name)),
      })),
    }),
    conditions: [
      ...withTargetCondition(conditions, report?.total, {
        generation: status.observedGeneration ?? 0,
        nowMs,
      }),
    ],
  };
}

/** The number, or that of before while there is none yet. */
export function targetFields(
  outcome: TargetOutcome | undefined,
  before: TargetFields | undefined,
): TargetFields {
  const expected = outcome === undefined ? before?.expectedTargets : outcome.expected;
  return expected === undefined ? {} : { expectedTargets: expected };
}

type Targetless = NonNullable<MetricsAgentStatus["withoutTargets"]>;

export function targetless(
  outcome: TargetOutcome | undefined,
  before: { readonly withoutTargets?: Targetless } | undefined,
): Targetless {
  return outcome === undefined ? (before?.withoutTargets ?? []) : [...outcome.without];
}

const type = "TargetsFound";

export function withTargetCondition(
  conditions: readonly Condition[],
  outcome: TargetOutcome | undefined,
  { generation, nowMs }: { readonly generation: number; readonly nowMs: number },
): readonly Condition[] {
  if (outcome === undefined) return conditions;
  const { condition } = outcome;
  if (condition === undefined) return removeCondition(conditions, type);
  return setCondition(conditions, { ...condition, observedGeneration: generation }, nowMs);
}
