import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";

import { joinSecrets, type ApiObject, type Author, type Kind } from "@bowline/api";

import type { KeyRing } from "../../secrets/key-ring.ts";
import { openSecrets, type Owner, type SealedSecrets } from "../../secrets/object-secrets.ts";

type Status = ApiObject["status"];

export interface WrittenSecrets {
  readonly keys: KeyRing;
  readonly owner: Owner;
  /** Without the secret fields. */
  readonly spec: object;
  readonly sealed: SealedSecrets;
}

/** The status with what follows from secret fields that are being written. */
export function withDerived(kind: Kind, status: Status, written: WrittenSecrets): Status {
  const { keys, owner, spec, sealed } = written;
  if (kind.derived === undefined || sealed === null) return status;
  const whole = joinSecrets(kind, spec, openSecrets(keys, owner, sealed));
  return { ...status, ...kind.derived.of({ ...whole }, fingerprintOf(sealed)) };
}

/** The status with what is not for its writer to decide as it was: what follows from secret fields, and people. */
export function keepDerived(kind: Kind, status: Status, before: Status): Status {
  const { derived, recordsAuthor, recordsApprover } = kind;
  if (derived === undefined && !recordsAuthor && !recordsApprover) return status;
  const kept = [
    ...(derived?.fields ?? []),
    ...(recordsAuthor ? ["author", "deletedBy"] : []),
    ...(recordsApprover ? ["approvedBy"] : []),
  ];
  const entries = kept.map((field): [string, unknown] => [field, Reflect.get(before, field)]);
  return { ...status, ...Object.fromEntries(entries) };
}

export interface WrittenSpec {
  readonly author: Author | undefined;
  /** Missing for an object that is being created. */
  readonly before?: object;
  readonly spec: object;
}

/**
 * The status of an object whose spec is being written, with whoever writes it, and whoever agrees to something by it; as
 * it was where that is not told.
 */
export function withAuthor(kind: Kind, status: Status, { author, before = {}, spec }: WrittenSpec): Status {
  if (author === undefined) return status;
  const approved: unknown = Reflect.get(spec, "approved");
  const isApproval = kind.recordsApprover && !isDeepStrictEqual(approved, Reflect.get(before, "approved"));
  return {
    ...status,
    ...(kind.recordsAuthor ? { author } : {}),
    ...(isApproval ? { approvedBy: approved === undefined ? undefined : author } : {}),
  };
}

/** The status of an object that is being deleted, with whoever deletes it; as it was where that is not told. */
export function withDeleter({ recordsAuthor }: Kind, status: Status, deletedBy: Author | undefined): Status {
  return recordsAuthor && deletedBy !== undefined ? Object.assign({}, status, { deletedBy }) : status;
}

/** A ciphertext is another one whenever the value is, and tells nothing without the key. */
function fingerprintOf(sealed: string): string {
  return createHash("sha256").update(sealed).digest("hex").slice(0, 16);
}
