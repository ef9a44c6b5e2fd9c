import { createHash } from "node:crypto";

import { joinSecrets, type ApiObject, type Kind } from "@bowline/api";

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

/** The status with what follows from secret fields that stay as they are. */
export function keepDerived({ derived }: Kind, status: Status, before: Status): Status {
  if (derived === undefined) return status;
  return {
    ...status,
    ...Object.fromEntries(derived.fields.map((field) => [field, Reflect.get(before, field)])),
  };
}

/** A ciphertext is another one whenever the value is, and tells nothing without the key. */
function fingerprintOf(sealed: string): string {
  return createHash("sha256").update(sealed).digest("hex").slice(0, 16);
}
