import type { ConfigSource } from "@bowline/api";

import type { HealthName } from "../../ui/health-mark.tsx";

/** One word for both conditions: what is there works, as long as some commit was applied. */
export function configHealth({ spec, status }: Pick<ConfigSource, "spec" | "status">): HealthName {
  const ready = status.conditions.find(({ type }) => type === "Ready");
  const upToDate = status.conditions.find(({ type }) => type === "UpToDate");
  if (ready?.status === "False") return "Degraded";
  if (upToDate?.status === "False") return "Missing";
  if (spec.paused !== undefined) return "Suspended";
  if (ready === undefined || upToDate === undefined) return "Unknown";
  return ready.status === "True" && upToDate.status === "True" ? "Healthy" : "Progressing";
}

/** One thing for which a commit is not applied. */
interface ConfigFault {
  /** Missing for what is in no file. */
  readonly file?: string;
  readonly line?: number;
  readonly text: string;
}

interface ConfigFaults {
  /** What is told before and after them. */
  readonly sentence: string;
  readonly faults: readonly ConfigFault[];
}

/** Where a fault begins: with a place in a file, or with the object that it is about. */
const beginnings =
  /(?:^|(?<=; ))(?=[^;:]+: document \d+|(?:Cluster|AccessGrant|WorkloadDefinition|WorkloadInstance) [a-z0-9-]+: )/u;
const place = /^(?<file>[^;:]+): document \d+(?:, line (?<line>\d+))?: (?<text>.*)$/su;
const before = /^Nothing of the commit is applied\. /u;
const after = / (?:The objects stay as they are \(commit [0-9a-f]*\)\.)$/u;

/** The message of a commit that was refused, fault by fault; as it is where it names none. */
export function configFaults(message: string): ConfigFaults {
  const [first = ""] = before.exec(message) ?? [];
  const [last = ""] = after.exec(message) ?? [];
  const told = message.slice(first.length, message.length - last.length);
  const parts = told.split(beginnings).filter((part) => part !== "");
  if (first === "" || parts.length === 0) return { sentence: message, faults: [] };
  return { sentence: `${first}${last}`.replace(/ {2,}/u, " ").trim(), faults: parts.map(faultIn) };
}

function faultIn(part: string): ConfigFault {
  const told = part.replace(/; $/u, "");
  const { file, line, text } = place.exec(told)?.groups ?? {};
  if (file === undefined || text === undefined) return { text: told };
  return { file, ...(line === undefined ? {} : { line: Number(line) }), text };
}
