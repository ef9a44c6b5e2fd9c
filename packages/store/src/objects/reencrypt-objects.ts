import { sql } from "kysely";

import type { Engine } from "../engine/engine.ts";
import { rowsOf, run, type Transaction } from "../engine/transaction.ts";
import type { KeyRing } from "../secrets/key-ring.ts";
import { resealSecrets } from "../secrets/object-secrets.ts";
import { CommitBatch } from "./commit-batch.ts";

const pageSize = 100;

interface Page {
  readonly changed: number;
  /** Undefined after the last page. */
  readonly last: { readonly kind: string; readonly name: string } | undefined;
}

/**
 * Encrypts every secret with the newest key, a page at a time. To everybody else the objects stay as they are: no new
 * version, no change in the log.
 */
export async function reencryptObjects(engine: Engine, keys: KeyRing, nowMs: number): Promise<number> {
  let total = 0;
  let after: Page["last"] = { kind: "", name: "" };
  while (after !== undefined) {
    const from: { kind: string; name: string } = after;
    const page: Page = await engine.commit(() => reencryptPage(engine, keys, from, nowMs));
    total += page.changed;
    after = page.last;
  }
  return total;
}

function* reencryptPage(
  engine: Engine,
  keys: KeyRing,
  after: { readonly kind: string; readonly name: string },
  nowMs: number,
): Transaction<Page> {
  const { queries } = engine;
  // For its lock: no object may change between reading its secrets and writing them.
  yield* CommitBatch.begin(engine, nowMs);
  const rows = yield* rowsOf(
    queries
      .selectFrom("objects")
      .select(["id", "kind", "name", "secrets"])
      .where("secrets", "is not", null)
      .where(sql<boolean>`(kind, name) > (${after.kind}, ${after.name})`)
      .orderBy("kind")
      .orderBy("name")
      .limit(pageSize),
  );
  let changed = 0;
  for (const { id, kind, secrets } of rows) {
    const resealed = resealSecrets(keys, { kind, id }, secrets);
    if (resealed === secrets) continue;
    changed += 1;
    yield* run(queries.updateTable("objects").set({ secrets: resealed }).where("id", "=", id));
  }
  return { changed, last: rows.length < pageSize ? undefined : rows.at(-1) };
}
