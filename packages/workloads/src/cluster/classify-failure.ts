import { asRecord, BowlineError, shortened } from "@bowline/core";
import type { ResourceRef } from "@bowline/kube";

import type { FieldOwner, ObjectProblem } from "../object-result.ts";

/**
 * - `conflict`: fields belong to others
 * - `immutable`: a field cannot be changed in an object that exists
 * - `refused`: somebody has to change something
 * - `passing`: it passes by itself
 */
export type Failure =
  | { readonly kind: "conflict"; readonly conflicts: readonly FieldOwner[] }
  | { readonly kind: "immutable"; readonly fields: readonly string[]; readonly said: string }
  | { readonly kind: "refused"; readonly problem: ObjectProblem }
  | { readonly kind: "passing"; readonly problem: ObjectProblem };

export interface FailedObject {
  readonly resource: ResourceRef;
  readonly namespace: string;
  readonly name: string;
}

/** Statuses hold this many characters of a message. */
const longestMessage = 1_000;
/** Leaves room for what to do about it. */
const longestSaid = 600;

/** What the error of a request for one object means to the people who wrote it. */
export function classifyFailure(error: BowlineError, failed: FailedObject): Failure {
  const classify = byCode[error.code] ?? other;
  return classify(failed.resource.kind === "Secret" ? withoutValues(error) : error, failed);
}

/** The cluster quotes what it does not like, also when that is the value of a Secret. */
function withoutValues({ code, message, details, retryable, cause }: BowlineError): BowlineError {
  const hidden = message
    .replaceAll(/Invalid value: (?:"(?:[^"\\]|\\.)*"|[^:,\]]+)/g, "Invalid value: (hidden)")
    .replaceAll(/Value:[^}]*\}/g, "Value:(hidden)}")
    .replaceAll(/error decoding from json: .*/g, "error decoding from json");
  return new BowlineError(code, hidden, { ...(details === undefined ? {} : { details }), retryable, cause });
}

type Classify = (error: BowlineError, failed: FailedObject) => Failure;

const byCode: Readonly<Partial<Record<BowlineError["code"], Classify>>> = {
  FieldConflict: (error) => ({ kind: "conflict", conflicts: conflictsOf(error) }),
  Forbidden: forbidden,
  NotGranted: ({ message }) => refused("NotGranted", message),
  Unauthorized: ({ message }) => refused("Forbidden", message),
  NotFound: notFound,
  MethodNotSupported: ({ message }) =>
    refused("UnknownKind", `${said(message)} Objects of this kind cannot be applied; take it out.`),
  Invalid: invalid,
};

function other(error: BowlineError, { namespace }: FailedObject): Failure {
  const status = error.details?.["httpStatus"];
  if (status === 413 || /request is too large|Request entity too large|limit is \d+/i.test(error.message)) {
    return refused("TooLarge", `${said(error.message)} Make the object smaller, or divide it into several.`);
  }
  if (isDenied(error)) return refused("AdmissionDenied", denied(error.message));
  if (isTerminating(error)) return terminating(namespace);
  // Some servers call it an internal error when a field has the wrong type; it will not pass.
  if (error.message.includes("failed to create typed patch object")) return refused("Invalid", error.message);
  if (error.retryable) return passing("Unavailable", error.message);
  return refused("Refused", error.message);
}

function forbidden(error: BowlineError, failed: FailedObject): Failure {
  const { message } = error;
  if (isTerminating(error)) return terminating(failed.namespace);
  if (/exceeded quota|failed quota|must specify .* for/i.test(message)) {
    return refused(
      "QuotaExceeded",
      `${said(message)} Raise the ResourceQuota of the namespace, or ask for less.`,
    );
  }
  if (isDenied(error) || /violates PodSecurity/.test(message)) {
    return refused("AdmissionDenied", denied(message));
  }
  // The server says itself which rights a role would hand out that its author does not have.
  if (!/cannot \S+ (?:resource|path)/.test(message)) return refused("Forbidden", message);
  return refused("Forbidden", `${said(message)} ${missingRule(failed)}`);
}

/** The rule that an engine needs for an object, as it is written into a role. */
function missingRule({ resource, namespace }: Pick<FailedObject, "resource" | "namespace">): string {
  const role = resource.namespaced ? `a Role in the namespace ${namespace}` : "a ClusterRole";
  const verbs = "get, create, patch, delete";
  return `The rule to add to ${role}: apiGroups: ["${resource.group}"], resources: ["${resource.plural}"], verbs: [${verbs}].`;
}

function notFound(error: BowlineError, { resource, namespace }: FailedObject): Failure {
  if (error.details?.["kind"] === "namespaces" || /namespaces? "[^"]*" not found/.test(error.message)) {
    const hint = "Create it, or add it to the manifests.";
    return refused("NamespaceMissing", `The cluster has no namespace ${namespace}. ${hint}`);
  }
  const message = `The cluster does not have the kind ${resource.kind} any more, or not yet.`;
  return refused("UnknownKind", message);
}

function invalid(error: BowlineError): Failure {
  if (isDenied(error)) return refused("AdmissionDenied", denied(error.message));
  const causes: readonly unknown[] = Array.isArray(error.details?.["causes"]) ? error.details["causes"] : [];
  const fields = causes
    .map(asRecord)
    .filter(({ message }) => isImmutable(message))
    .map(({ field }) => (typeof field === "string" ? field : "a field"));
  if (fields.length > 0)
    return { kind: "immutable", fields: [...new Set(fields)], said: said(error.message) };
  return refused("Invalid", error.message);
}

function isImmutable(message: unknown): boolean {
  return (
    typeof message === "string" &&
    /field is immutable|may not change once set|cannot change roleRef|updates to \w+ spec for fields other than/i.test(
      message,
    )
  );
}

function isDenied({ message }: BowlineError): boolean {
  return /admission webhook "[^"]*" denied|ValidatingAdmissionPolicy .* denied/.test(message);
}

function denied(message: string): string {
  return `${said(message)} Change the object so that this rule of the cluster allows it.`;
}

function isTerminating({ message, details }: BowlineError): boolean {
  const causes: readonly unknown[] = Array.isArray(details?.["causes"]) ? details["causes"] : [];
  return (
    causes.some((cause) => asRecord(cause)["reason"] === "NamespaceTerminating") ||
    message.includes("because it is being terminated")
  );
}

function terminating(namespace: string): Failure {
  const message = `The namespace ${namespace} is being deleted; the object is created once the namespace is there again.`;
  return passing("NamespaceTerminating", message);
}

function conflictsOf(error: BowlineError): FieldOwner[] {
  const conflicts: readonly unknown[] = Array.isArray(error.details?.["conflicts"])
    ? error.details["conflicts"]
    : [];
  return conflicts.map(asRecord).map(({ manager, field }) => ({
    manager: typeof manager === "string" ? manager : "another manager",
    field: typeof field === "string" ? field : "a field",
  }));
}

function refused(reason: ObjectProblem["reason"], message: string): Failure {
  return { kind: "refused", problem: { reason, message: shortened(message, longestMessage) } };
}

function passing(reason: ObjectProblem["reason"], message: string): Failure {
  return { kind: "passing", problem: { reason, message: shortened(message, longestMessage) } };
}

/** What the cluster says itself. */
function said(message: string): string {
  return shortened(message, longestSaid);
}
