import { isDeepStrictEqual } from "node:util";

import type { Secrets } from "@bowline/api";

import type { KeyRing } from "./key-ring.ts";

export interface Owner {
  readonly kind: string;
  readonly id: string;
}

/** The secret fields of an object as one column: ciphertexts by path, or null when it has none. */
export type SealedSecrets = string | null;

export function openSecrets(keys: KeyRing, owner: Owner, sealed: SealedSecrets): Secrets {
  const entries = Object.entries(parse(sealed));
  return Object.fromEntries(
    entries.map(([field, ciphertext]) => [field, JSON.parse(keys.decrypt(ciphertext, { ...owner, field }))]),
  );
}

/** The column with these fields set; others stay. The very same column when no value changes. */
export function sealSecrets(
  keys: KeyRing,
  owner: Owner,
  secrets: Secrets,
  sealedBefore: SealedSecrets = null,
): SealedSecrets {
  if (Object.keys(secrets).length === 0) return sealedBefore;
  const before = openSecrets(keys, owner, sealedBefore);
  const changed = Object.entries(secrets).filter(
    ([field, value]) => !isDeepStrictEqual(value, before[field]),
  );
  if (changed.length === 0) return sealedBefore;
  const sealed = changed.map(([field, value]) => [
    field,
    keys.encrypt(JSON.stringify(value), { ...owner, field }),
  ]);
  return JSON.stringify({ ...parse(sealedBefore), ...Object.fromEntries(sealed) });
}

/** The column encrypted with the newest key. The very same column when it is already. */
export function resealSecrets(keys: KeyRing, owner: Owner, sealed: SealedSecrets): SealedSecrets {
  const ciphertexts = parse(sealed);
  if (Object.values(ciphertexts).every((ciphertext) => keys.isNewest(ciphertext))) return sealed;
  return sealSecrets(keys, owner, openSecrets(keys, owner, sealed));
}

function parse(sealed: SealedSecrets): Record<string, string> {
  return sealed === null ? {} : JSON.parse(sealed);
}
