import { createHash } from "node:crypto";

import { maxCursorLength, pageLimits } from "@bowline/api";
import { BowlineError } from "@bowline/core";

/** A page of records, newest first. */
export interface RecordPage<T> {
  readonly items: readonly T[];
  /** How many match on all pages, counted with the first page and not beyond `maxCountedRecords`. */
  readonly total: number;
  /** Missing on the last page. */
  readonly cursor?: string;
}

/** Counting costs as much as there is to count; records can be millions. */
export const maxCountedRecords = 100_000;

export function requireLimit(limit: number = pageLimits.default): number {
  if (Number.isSafeInteger(limit) && limit >= 1 && limit <= pageLimits.maximum) return limit;
  throw refused(`A page has between 1 and ${pageLimits.maximum} items.`);
}

/** Where a page ended, and what the first page found out. */
export interface CursorContent {
  /** The key of the last item, as text and numbers. */
  readonly after: readonly (string | number)[];
  readonly total: number;
  readonly revision: number;
}

/**
 * A cursor is opaque to clients and belongs to one query. It is checked and not signed: a forged one can name another
 * place to go on from, which any client could have paged to.
 */
export function encodeCursor(query: unknown, { after, total, revision }: CursorContent): string {
  return Buffer.from(JSON.stringify([fingerprint(query), total, revision, ...after])).toString("base64url");
}

/** `InvalidArgument` for anything that `encodeCursor` did not make for the same query. */
export function decodeCursor(query: unknown, cursor: string): CursorContent {
  const values = cursor.length > maxCursorLength ? undefined : parse(cursor);
  if (!Array.isArray(values)) throw refused("The cursor is not one that the server gave out.");
  const [belongsTo, total, revision, ...after] = values;
  if (!isCount(total) || !isCount(revision) || after.length === 0 || !after.every(isKeyPart)) {
    throw refused("The cursor is not one that the server gave out.");
  }
  if (belongsTo !== fingerprint(query)) {
    throw refused("The cursor belongs to another query; keep the kind and the selectors while paging.");
  }
  return { after, total, revision };
}

function fingerprint(query: unknown): string {
  return createHash("sha256").update(JSON.stringify(query)).digest("base64url").slice(0, 12);
}

function parse(cursor: string): unknown {
  const bytes = Buffer.from(cursor, "base64url");
  // Decoding skips what is not base64; only the text that was given out counts.
  if (bytes.toString("base64url") !== cursor) return undefined;
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch {
    return undefined;
  }
}

/** As many digits as a resourceVersion may have: what a cursor says is told again. */
const maxCount = 10 ** 15 - 1;

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= maxCount;
}

/** Text that no key has and PostgreSQL does not take must not get that far. */
function isKeyPart(value: unknown): value is string | number {
  if (typeof value === "string") return value.isWellFormed() && !value.includes("\0");
  return Number.isSafeInteger(value);
}

function refused(message: string): BowlineError {
  return new BowlineError("InvalidArgument", message);
}
