/** Readers for JSON that somebody else wrote: whatever has another type than expected counts as absent. */
import { isRecord } from "@bowline/core";

export function recordOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return isRecord(value) ? value : undefined;
}

export function arrayOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** An empty string means the same as none, as everywhere in Kubernetes. */
export function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

export function textsOf(value: unknown): string[] {
  return arrayOf(value).filter((item) => typeof item === "string");
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** Parses what should be JSON; `undefined` when it is not, because then the caller knows better what to say. */
export function parseJson(body: Buffer): { readonly value: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(body.toString("utf8"));
    return { value };
  } catch {
    // Not JSON: what that means depends on who answered.
    return undefined;
  }
}
