import { BowlineError, type Clock } from "@bowline/core";

import type { Engine } from "../engine/engine.ts";
import { firstRowOf } from "../engine/program.ts";
import type { RowOf } from "../schema/tables.ts";
import type { KeyRing } from "../secrets/key-ring.ts";

/** An answer to a request, kept to be given again. */
export interface StoredAnswer {
  readonly httpStatus: number;
  /** Any JSON. */
  readonly body: unknown;
}

export type NewAnswer = StoredAnswer;

export interface AnswerQuery {
  readonly actor: string;
  readonly key: string;
  /** Of the request; `Invalid` when the key was used for another one. */
  readonly fingerprint: string;
}

/** Answers to requests with an idempotency key, written by `createOnce`. */
export interface AnswerStore {
  find(query: AnswerQuery): Promise<StoredAnswer | undefined>;
}

type AnswerRow = RowOf<"answers">;

export class DatabaseAnswerStore implements AnswerStore {
  readonly #engine: Engine;
  readonly #clock: Pick<Clock, "now">;
  readonly #keys: KeyRing;

  constructor(engine: Engine, clock: Pick<Clock, "now">, keys: KeyRing) {
    this.#engine = engine;
    this.#clock = clock;
    this.#keys = keys;
  }

  async find(query: AnswerQuery): Promise<StoredAnswer | undefined> {
    const { actor, key } = query;
    const select = this.#engine.queries
      .selectFrom("answers")
      .selectAll()
      .where("actor", "=", actor)
      .where("key", "=", key);
    const row = await this.#engine.read(() => firstRowOf(select));
    return openAnswer(this.#keys, row, query, this.#clock.now());
  }
}

/** An answer may hold what is shown only once, such as a new token, so it is encrypted. */
export function sealAnswer(
  keys: KeyRing,
  { actor, key, fingerprint }: AnswerQuery,
  answer: NewAnswer,
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
  { actor, key, fingerprint }: AnswerQuery,
  nowMs: number,
): StoredAnswer | undefined {
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
