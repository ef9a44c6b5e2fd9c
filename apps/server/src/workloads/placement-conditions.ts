import { setCondition, summarize, type Condition } from "@bowline/runtime";

import type { Statement } from "./resolve-workload.ts";

export interface ConditionMark {
  readonly generation: number;
  readonly nowMs: number;
}

/** Conditions of a placement with some of them set; `Ready` follows from the others, whoever writes them. */
export function placementConditions(
  conditions: readonly Condition[],
  statements: Readonly<Partial<Record<"Applied" | "Healthy" | "Watched", Statement>>>,
  { generation, nowMs }: ConditionMark,
): Condition[] {
  let all = conditions;
  for (const [type, statement] of Object.entries(statements)) {
    all = setCondition(all, { type, ...statement, observedGeneration: generation }, nowMs);
  }
  return [...summarize(all, { positive: ["Applied", "Healthy"] }, { generation, nowMs })];
}
