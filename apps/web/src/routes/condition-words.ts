import type { Condition } from "@bowline/api";

import type { HealthName } from "../ui/health-mark.tsx";

/** Ready does not depend on them: a cluster that is not observed in full works, and so does an older commit. */
const minor: ReadonlySet<string> = new Set(["Observed", "UpToDate"]);

/** What does not hold yet (`isUnderWay`) is no trouble. */
export function conditionHealth(
  { type, status }: Pick<Condition, "type" | "status">,
  isUnderWay = false,
): HealthName {
  if (status === "True") return "Healthy";
  if (status === "Unknown") return "Unknown";
  if (minor.has(type)) return "Missing";
  return isUnderWay ? "Progressing" : "Degraded";
}

/** Why it is so; where the server says nothing, what the condition means. */
export function conditionSentence(
  { type, status, message }: Condition,
  meanings: Readonly<Record<string, string>>,
): string {
  if (message !== "") return message;
  const meaning = Object.hasOwn(meanings, type) ? (meanings[type] ?? "") : "";
  return status === "True" ? meaning : `Not so: ${meaning}`;
}
