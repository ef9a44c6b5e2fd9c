import type { Coverage } from "@bowline/store";

import type { ConditionStatement } from "./cluster-conditions.ts";

/** As many as people read; the agent's own page has all. */
const maxNamed = 12;

/**
 * Whether everything of a cluster is observed that its agent is to observe. Kinds that the cluster does not have are not
 * missed; of a kind that may be read in some namespaces, the others are.
 */
export function observedStatement(coverage: readonly Coverage[]): ConditionStatement {
  const missed = coverage.filter(({ state }) => state === "forbidden" || state === "failing");
  if (missed.length === 0) return { status: "True", reason: "Observed", message: "" };
  const parts = [
    part("May not be read", missed, "forbidden"),
    part("Cannot be read at the moment", missed, "failing"),
  ].filter((text) => text !== "");
  const isForbidden = missed.some(({ state }) => state === "forbidden");
  const advice = isForbidden
    ? " What was known of them is kept. The agent's /reports names the rules to add; rights are chosen by --rights of bowline cluster add."
    : " What was known of them is kept, and they are tried again.";
  const reason = isForbidden ? "Forbidden" : "Failing";
  return { status: "False", reason, message: `${parts.join(" ")}${advice}` };
}

function part(words: string, missed: readonly Coverage[], state: Coverage["state"]): string {
  const named = missed.filter((each) => each.state === state).map(nameOf);
  if (named.length === 0) return "";
  const more = named.length > maxNamed ? ` and ${named.length - maxNamed} more` : "";
  return `${words}: ${named.slice(0, maxNamed).join(", ")}${more}.`;
}

function nameOf({ group, kind, namespace }: Coverage): string {
  const full = group === "" ? kind : `${kind}.${group}`;
  return namespace === "" ? full : `${full} in ${namespace}`;
}
