import { BowlineError } from "@bowline/core";

import type { ObjectJson } from "./stored-object.ts";
import type { RowOf } from "../engine/tables.ts";
import type { KeyRing } from "../secrets/key-ring.ts";

interface AnsweredRequest {
  readonly actor: string;
  /** The idempotency key. */
  readonly key: string;
  /** Of the request; `Invalid` when the key was used for another one. */
  readonly fingerprint: string;
}

type AnswerRow = RowOf<"answers">;

/** An answer may hold what is shown only once, such as a new token, so it is encrypted. */
export function sealAnswer(
  keys: KeyRing,
  { actor, key, fingerprint }: AnsweredRequest,
  answer: ObjectJson,
  expiresMs: number,
): AnswerRow {
  const place = { kind: "answer", id: actor };
  return {
    actor,
    key,
    // A hash of a request with a short secret in it could be guessed from.
    fingerprint: keys.encrypt(fingerprint, { ...place, field: `${key} fingerprint` }),
    answer: keys.encrypt(JSON.stringify(answer), { ...place, field: key }),
    expires_at: expiresMs,
  };
}

export function openAnswer(
  keys: KeyRing,
  row: AnswerRow | undefined,
  { actor, key, fingerprint }: AnsweredRequest,
  nowMs: number,
): ObjectJson | undefined {
  if (row === undefined || row.expires_at <= nowMs) return undefined;
  const place = { kind: "answer", id: actor };
  if (keys.decrypt(row.fingerprint, { ...place, field: `${key} fingerprint` }) !== fingerprint) {
    throw new BowlineError(
      "Invalid",
      "This idempotency key was used for another request; choose a new one for every request.",
    );
  }
  return JSON.parse(keys.decrypt(row.answer, { ...place, field: key }));
}
