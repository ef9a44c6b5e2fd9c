import { BowlineError } from "@bowline/core";

/** By primary result codes of SQLite. */
const unavailable: Readonly<Record<number, string>> = {
  5: "The database is locked by another process.",
  8: "The database file may not be written.",
  10: "The disk of the database reported an error.",
  11: "The database file is damaged; restore it from a backup.",
  13: "The disk of the database is full.",
  14: "The database file cannot be opened.",
  26: "The file is not a SQLite database.",
};

/** An error of SQLite as one of ours; everything else passes unchanged. */
export function sqliteError(thrown: unknown): Error {
  const code = resultCode(thrown);
  if (code === undefined) return thrown instanceof Error ? thrown : BowlineError.from(thrown);
  const message = unavailable[code];
  return message === undefined
    ? new BowlineError("Internal", "The database refused a statement.", { cause: thrown })
    : new BowlineError("DatabaseUnavailable", message, { cause: thrown });
}

function resultCode(thrown: unknown): number | undefined {
  if (!(thrown instanceof Error) || !("errcode" in thrown) || typeof thrown.errcode !== "number")
    return undefined;
  return thrown.errcode & 0xff;
}
