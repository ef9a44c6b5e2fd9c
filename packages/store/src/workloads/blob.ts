import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";

import type { Engine } from "../engine/engine.ts";
import { rowsOf, run, type Transaction } from "../engine/transaction.ts";
import { upsertRows } from "../engine/bulk-statement.ts";
import type { RowOf } from "../engine/tables.ts";
import type { KeyRing, SecretPlace } from "../secrets/key-ring.ts";

type BlobRow = RowOf<"blobs">;

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/** Contents are large, and a page of them is in memory at once. */
const pageSize = 20;

/** Compressed before it is encrypted: ciphertext does not get smaller. */
export async function sealContent(keys: KeyRing, id: string, content: string): Promise<BlobRow> {
  return { id, content: keys.encrypt(await compress(content), blobPlace(id)) };
}

export async function openContent(keys: KeyRing, id: string, sealed: string): Promise<string> {
  return (await decompress(keys.decryptBytes(sealed, blobPlace(id)))).toString("utf8");
}

/** Encrypts with the newest key what is still encrypted with another; resolves to how many contents those were. */
export async function reencryptBlobs(engine: Engine, keys: KeyRing): Promise<number> {
  let total = 0;
  for (let after: string | undefined = ""; after !== undefined;) {
    const from: string = after;
    const page: BlobPage = await engine.commit(() => reencryptPage(engine, keys, from));
    total += page.changed;
    after = page.last;
  }
  return total;
}

interface BlobPage {
  readonly changed: number;
  /** Undefined after the last page. */
  readonly last: string | undefined;
}

function* reencryptPage({ queries, dialect }: Engine, keys: KeyRing, after: string): Transaction<BlobPage> {
  const query = queries.selectFrom("blobs").selectAll().where("id", ">", after).orderBy("id").limit(pageSize);
  const rows = yield* rowsOf(dialect === "postgres" ? query.forUpdate() : query);
  const old = rows.filter(({ content }) => !keys.isNewest(content));
  const resealed = old.map(({ id, content }) => ({
    id,
    content: keys.encrypt(keys.decryptBytes(content, blobPlace(id)), blobPlace(id)),
  }));
  yield* run(upsertRows("blobs", resealed));
  return { changed: old.length, last: rows.length < pageSize ? undefined : rows.at(-1)?.id };
}

/** Bound to the hash of the content, so that no content can be put in the place of another. */
export function blobPlace(id: string): SecretPlace {
  return { kind: "revision", id, field: "content" };
}
