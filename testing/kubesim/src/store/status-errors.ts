import { SimStatusError, type StatusCause } from "./sim-status-error.ts";

/** A resource as messages name it: `pods`, `deployments.apps`. */
export interface GroupResource {
  readonly group: string;
  readonly resource: string;
}

export interface GroupKind {
  readonly group: string;
  readonly kind: string;
}

/** A field that broke a rule; `reason` is one of the `FieldValue…` words. */
export interface FieldProblem {
  readonly field: string;
  readonly reason: string;
  readonly message: string;
}

export const optimisticLockMessage =
  "the object has been modified; please apply your changes to the latest version and try again";

export function notFound(target: GroupResource, name: string): SimStatusError {
  return new SimStatusError({
    code: 404,
    reason: "NotFound",
    message: `${qualified(target)} "${name}" not found`,
    details: detailsOf(target, name),
  });
}

/** The path names no resource at all. */
export function unknownResource(): SimStatusError {
  return new SimStatusError({
    code: 404,
    reason: "NotFound",
    message: "the server could not find the requested resource",
    details: {},
  });
}

export function alreadyExists(target: GroupResource, name: string): SimStatusError {
  return new SimStatusError({
    code: 409,
    reason: "AlreadyExists",
    message: `${qualified(target)} "${name}" already exists`,
    details: detailsOf(target, name),
  });
}

export function conflict(target: GroupResource, name: string, why: string): SimStatusError {
  return new SimStatusError({
    code: 409,
    reason: "Conflict",
    message: `Operation cannot be fulfilled on ${qualified(target)} "${name}": ${why}`,
    details: detailsOf(target, name),
  });
}

export function forbidden(
  target: GroupResource,
  name: string,
  why: string,
  causes?: readonly StatusCause[],
): SimStatusError {
  const subject =
    target.resource === ""
      ? "forbidden"
      : `${qualified(target)}${name === "" ? "" : ` "${name}"`} is forbidden`;
  return new SimStatusError({
    code: 403,
    reason: "Forbidden",
    message: `${subject}: ${why}`,
    details: { ...detailsOf(target, name), ...(causes ? { causes } : {}) },
  });
}

export function invalid(target: GroupKind, name: string, problems: readonly FieldProblem[]): SimStatusError {
  const listed = [...new Set(problems.map((problem) => `${problem.field}: ${problem.message}`))];
  const summary = listed.length === 1 ? listed[0] : `[${listed.join(", ")}]`;
  const kind = target.group === "" ? target.kind : `${target.kind}.${target.group}`;
  return new SimStatusError({
    code: 422,
    reason: "Invalid",
    message: `${kind} "${name}" is invalid: ${summary}`,
    details: {
      ...(name === "" ? {} : { name }),
      ...(target.group === "" ? {} : { group: target.group }),
      kind: target.kind,
      causes: problems.map(({ reason, message, field }) => ({ reason, message, field })),
    },
  });
}

export function badRequest(message: string): SimStatusError {
  return new SimStatusError({ code: 400, reason: "BadRequest", message });
}

export function expired(message: string): SimStatusError {
  return new SimStatusError({ code: 410, reason: "Expired", message });
}

export function methodNotAllowed(): SimStatusError {
  return new SimStatusError({
    code: 405,
    reason: "MethodNotAllowed",
    message: "the server does not allow this method on the requested resource",
    details: {},
  });
}

export function resourceVersionTooLarge(asked: number, current: number): SimStatusError {
  return new SimStatusError({
    code: 504,
    reason: "Timeout",
    message: `Timeout: Too large resource version: ${asked}, current: ${current}`,
    details: {
      causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
      retryAfterSeconds: 1,
    },
  });
}

export function internalError(message: string): SimStatusError {
  return new SimStatusError({
    code: 500,
    reason: "InternalError",
    message: `Internal error occurred: ${message}`,
    details: { causes: [{ message }] },
  });
}

function qualified(target: GroupResource): string {
  return target.group === "" ? target.resource : `${target.resource}.${target.group}`;
}

function detailsOf(target: GroupResource, name: string): { name?: string; group?: string; kind?: string } {
  return {
    ...(name === "" ? {} : { name }),
    ...(target.group === "" ? {} : { group: target.group }),
    ...(target.resource === "" ? {} : { kind: target.resource }),
  };
}
