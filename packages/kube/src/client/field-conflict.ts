import type { StatusCause } from "./kube-status.ts";

/** One field that server-side apply left alone because somebody else owns it. */
export interface FieldConflict {
  readonly manager: string;
  readonly field: string;
  readonly subresource?: string;
}

/**
 * The API server names the owner only inside the text of a cause:
 * `conflict with "kubectl-edit" with subresource "scale" using apps/v1 at 2024-05-01T10:00:00Z`.
 */
const ownerPattern = /^conflict with ("(?:[^"\\]|\\.)*")(?: with subresource ("(?:[^"\\]|\\.)*"))?/;

export function fieldConflicts(causes: readonly StatusCause[]): FieldConflict[] {
  return causes.filter((cause) => cause.reason === "FieldManagerConflict").map(conflictOf);
}

/** `"kubectl" owns .spec.replicas; "hpa" owns .spec.a and .spec.b`. */
export function describeConflicts(conflicts: readonly FieldConflict[]): string {
  const byManager = Map.groupBy(conflicts, (conflict) => conflict.manager);
  return [...byManager]
    .map(([manager, owned]) => `"${manager}" owns ${listed(owned.map((conflict) => conflict.field))}`)
    .join("; ");
}

function conflictOf(cause: StatusCause): FieldConflict {
  const match = ownerPattern.exec(cause.message ?? "");
  const field = cause.field ?? "a field";
  const subresource = unquoted(match?.[2]);
  const manager = unquoted(match?.[1]) ?? "another manager";
  return subresource === undefined ? { manager, field } : { manager, field, subresource };
}

function unquoted(quoted: string | undefined): string | undefined {
  return quoted?.slice(1, -1).replaceAll(/\\(.)/g, "$1");
}

function listed(fields: readonly string[]): string {
  const shown = fields.slice(0, 5);
  const more = fields.length - shown.length;
  return more === 0 ? shown.join(", ") : `${shown.join(", ")} and ${more} more`;
}
