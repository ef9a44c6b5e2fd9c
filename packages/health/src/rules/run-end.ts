import { isRecord } from "@bowline/core";

import { conditionOf, groupOf, textAt } from "../facts/read-facts.ts";

/**
 * How a Job or a Pod has ended, by its facts; undefined while it has not, and for every other kind. Its health does not
 * tell: a Job whose pods cannot start is in trouble and may yet succeed.
 */
export function runEnd(facts: unknown): "succeeded" | "failed" | undefined {
  if (!isRecord(facts)) return undefined;
  const kind = `${groupOf(facts)}/${textAt(facts, "kind")}`;
  if (kind === "batch/Job") {
    const holds = (type: string): boolean => conditionOf(facts, type)?.status === "True";
    if (holds("Failed")) return "failed";
    return holds("Complete") ? "succeeded" : undefined;
  }
  if (kind !== "/Pod") return undefined;
  const phase = textAt(facts, "status", "phase");
  if (phase === "Failed") return "failed";
  return phase === "Succeeded" ? "succeeded" : undefined;
}
