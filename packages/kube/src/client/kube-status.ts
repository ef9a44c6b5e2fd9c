import { arrayOf, numberOf, recordOf, textOf } from "../json-fields.ts";

/** The parts of a Kubernetes `Status` that Bowline reads; whatever has another type than expected is left out. */
export interface KubeStatus {
  readonly code?: number | undefined;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  /** With reason `Expired`: where a paged list can go on, at a newer version. */
  readonly continueToken?: string | undefined;
  readonly kind?: string | undefined;
  readonly name?: string | undefined;
  readonly causes: readonly StatusCause[];
  readonly retryAfterSeconds?: number | undefined;
}

interface StatusCause {
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  readonly field?: string | undefined;
}

/** A hostile or broken server may send any JSON: nothing here throws. */
export function parseStatus(value: unknown): KubeStatus | undefined {
  const status = recordOf(value);
  if (status?.["kind"] !== "Status") return undefined;
  const details = recordOf(status["details"]);
  return {
    code: numberOf(status["code"]),
    reason: textOf(status["reason"]),
    message: textOf(status["message"]),
    continueToken: textOf(recordOf(status["metadata"])?.["continue"]),
    kind: textOf(details?.["kind"]),
    name: textOf(details?.["name"]),
    retryAfterSeconds: numberOf(details?.["retryAfterSeconds"]),
    causes: arrayOf(details?.["causes"]).slice(0, 100).map(parseCause),
  };
}

function parseCause(value: unknown): StatusCause {
  const cause = recordOf(value);
  return {
    reason: textOf(cause?.["reason"]),
    message: textOf(cause?.["message"]),
    field: textOf(cause?.["field"]),
  };
}

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
