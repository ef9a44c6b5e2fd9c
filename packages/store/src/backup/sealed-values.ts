import { isRecord } from "@bowline/core";

import type { LongTransaction } from "../engine/long-transaction.ts";
import type { Row } from "../engine/transaction.ts";
import { installationPlace } from "../installation.ts";
import { resourcePlace } from "../provisioning/resource-row.ts";
import { keyIdOf, type KeyRing, type SecretPlace } from "../secrets/key-ring.ts";
import { blobPlace } from "../workloads/blob.ts";

interface SealedValue {
  readonly ciphertext: string;
  readonly place: SecretPlace;
}

/** More than a key's id and what is around it. */
const headLength = 80;

/** The queries for everything that is encrypted, as far as it says with which key. */
const sealedQueries: readonly string[] = [
  `select substr(value, 1, ${headLength}) as sealed from installation`,
  "select secrets as sealed from objects where secrets is not null",
  `select substr(content, 1, ${headLength}) as sealed from blobs`,
  `select substr(content, 1, ${headLength}) as sealed from provider_resources`,
  `select substr(answer, 1, ${headLength}) as sealed from answers`,
  `select substr(fingerprint, 1, ${headLength}) as sealed from answers`,
];

/** The ids of keys in a column, which is one ciphertext or several as JSON. */
function keyIdsIn(sealed: string): string[] {
  return [...sealed.matchAll(/(?:^|")v1\.([A-Za-z0-9_-]{1,64})\./gu)].flatMap(([, id]) => id ?? []);
}

/** The ids of all keys that something in the database is encrypted with. */
export async function keyIdsUsed(snapshot: Pick<LongTransaction, "rows">): Promise<string[]> {
  const ids = new Set<string>();
  for (const sql of sealedQueries) {
    for await (const rows of snapshot.rows({ sql, parameters: [] })) {
      for (const row of rows) for (const id of keyIdsIn(String(row["sealed"]))) ids.add(id);
    }
  }
  return [...ids].toSorted();
}

/** The encrypted values of a row of a backup, with their places. Answers run out within a day, and are not looked at. */
function* sealedIn(table: string, row: Row): Generator<SealedValue> {
  if (table === "installation" && typeof row["value"] === "string") {
    yield { ciphertext: row["value"], place: installationPlace(String(row["name"])) };
  }
  if (table === "blobs" && typeof row["content"] === "string") {
    yield { ciphertext: row["content"], place: blobPlace(String(row["id"])) };
  }
  if (table === "provider_resources" && typeof row["content"] === "string") {
    yield {
      ciphertext: row["content"],
      place: resourcePlace(String(row["cluster_id"]), String(row["step"])),
    };
  }
  if (table !== "objects" || typeof row["secrets"] !== "string") return;
  const secrets: unknown = JSON.parse(row["secrets"]);
  if (!isRecord(secrets)) return;
  for (const [field, ciphertext] of Object.entries(secrets)) {
    yield {
      ciphertext: String(ciphertext),
      place: { kind: String(row["kind"]), id: String(row["id"]), field },
    };
  }
}

/** Finds out whether keys open what is encrypted: one value for each key is enough to know. */
export class KeyCheck {
  readonly #keys: KeyRing;
  readonly #checked = new Set<string>();

  constructor(keys: KeyRing) {
    this.#keys = keys;
  }

  /** `DecryptionFailed` when they do not. */
  row(table: string, row: Row): void {
    for (const { ciphertext, place } of sealedIn(table, row)) {
      const id = keyIdOf(ciphertext);
      if (this.#checked.has(id)) continue;
      this.#keys.decryptBytes(ciphertext, place);
      this.#checked.add(id);
    }
  }
}
