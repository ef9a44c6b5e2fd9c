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

export interface StatusCause {
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
