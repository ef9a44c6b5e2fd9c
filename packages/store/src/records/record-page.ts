import { pageLimits } from "@bowline/api";
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
  throw new BowlineError("InvalidArgument", `A page has between 1 and ${pageLimits.maximum} items.`);
}
