import { BowlineError } from "@bowline/core";

/** A parameter of a query as SQLite takes it. */
export function toSqlite(value: unknown): string | number | bigint | null {
  if (typeof value === "string" || typeof value === "number" || typeof value === "bigint") return value;
  if (value === null || value === undefined) return null;
  throw new BowlineError("Internal", `A parameter of a query is a ${typeof value}.`);
}
