import { Cluster, type Condition } from "@bowline/api";

import type { HealthName } from "../../ui/health-mark.tsx";

/** Ready does not depend on it: a cluster that is not observed in full works. */
const minor: ReadonlySet<string> = new Set(["Observed"]);

export function conditionHealth({ type, status }: Pick<Condition, "type" | "status">): HealthName {
  if (status === "True") return "Healthy";
  if (status === "Unknown") return "Unknown";
  return minor.has(type) ? "Missing" : "Degraded";
}

/** Why it is so; where the server says nothing, what the condition means. */
export function conditionSentence({ type, status, message }: Condition): string {
  if (message !== "") return message;
  const meanings: Readonly<Record<string, string>> = Cluster.conditions;
  const meaning = Object.hasOwn(meanings, type) ? (meanings[type] ?? "") : "";
  return status === "True" ? meaning : `Not so: ${meaning}`;
}
