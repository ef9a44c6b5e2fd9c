import { shortened } from "@bowline/core";
import type { Coverage } from "@bowline/store";

import type { ConditionStatement } from "./cluster-conditions.ts";

/** As many as people read; the agent's own page has all. */
const maxNamed = 12;
const maxSaid = 160;

/**
 * Whether everything of a cluster is observed that its agent is to observe. Kinds that the cluster does not have are not
 * missed; of a kind that may be read in some namespaces, the others are.
 */
export function observedStatement(coverage: readonly Coverage[]): ConditionStatement {
  const secrets = coverage.find(
    (each) => isSecrets(each) && each.state === "forbidden" && each.namespace === "",
  );
  const missed = coverage.filter(
    (each) => each.state === "failing" || (each.state === "forbidden" && !isSecrets(each)),
  );
  const aside = secrets?.message ?? "";
  if (missed.length === 0) return { status: "True", reason: "Observed", message: aside };
  const parts = [
    part("May not be read", missed, "forbidden"),
    part("Cannot be read at the moment", missed, "failing", sinceWhen),
  ].filter((text) => text !== "");
  const isForbidden = missed.some(({ state }) => state === "forbidden");
  const advice = isForbidden
    ? " What was known of them is kept. The agent's /reports names the rules to add; rights are chosen by --rights of bowline cluster add."
    : " What was known of them is kept, and they are tried again.";
  const reason = isForbidden ? "Forbidden" : "Failing";
  return {
    status: "False",
    reason,
    message: `${parts.join(" ")}${advice}${aside === "" ? "" : ` ${aside}`}`,
  };
}

/** Whether agents may read them is a choice of its own: without it, nothing is wrong. */
function isSecrets({ group, kind }: Coverage): boolean {
  return group === "" && kind === "Secret";
}

function part(
  words: string,
  missed: readonly Coverage[],
  state: Coverage["state"],
  more: (each: Coverage) => string = () => "",
): string {
  const named = missed.filter((each) => each.state === state).map((each) => nameOf(each) + more(each));
  if (named.length === 0) return "";
  const others = named.length > maxNamed ? ` and ${named.length - maxNamed} more` : "";
  return `${words}: ${named.slice(0, maxNamed).join(", ")}${others}.`;
}

function sinceWhen({ sinceMs, message }: Coverage): string {
  const said = message === "" ? "" : `: ${shortened(message, maxSaid)}`;
  return ` (since ${new Date(sinceMs).toISOString()}${said})`;
}

function nameOf({ group, kind, namespace }: Coverage): string {
  const full = group === "" ? kind : `${kind}.${group}`;
  return namespace === "" ? full : `${full} in ${namespace}`;
}
