import { asRecord } from "@bowline/core";

/** A condition in the status of an object of a cluster. */
export interface FoundCondition {
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

/** Reads `conditions` of what another controller wrote: a status, or a part of one. */
export function conditionOf(holder: unknown, type: string): FoundCondition | undefined {
  const found = listIn(holder, "conditions").find((condition) => textIn(condition, "type") === type);
  if (found === undefined) return undefined;
  return {
    status: textIn(found, "status"),
    reason: textIn(found, "reason"),
    message: textIn(found, "message"),
  };
}

export function isTrue(condition: FoundCondition | undefined): boolean {
  return condition?.status === "True";
}

/** A list in what somebody else wrote; empty for anything else. */
export function listIn(holder: unknown, name: string): readonly Readonly<Record<string, unknown>>[] {
  const value = asRecord(holder)[name];
  return Array.isArray(value) ? value.map((item) => asRecord(item)) : [];
}

/** A text in what somebody else wrote; empty for anything else. */
export function textIn(holder: unknown, name: string): string {
  const value = asRecord(holder)[name];
  return typeof value === "string" ? value : "";
}
