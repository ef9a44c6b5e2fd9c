import { BowlineError, hasCode } from "@bowline/core";

/** What PostgreSQL calls a login it does not accept, and a database that is not there. */
const loginRefused: ReadonlySet<string> = new Set(["28P01", "28000"]);
const noDatabase = "3D000";
const forbidden = "42501";

/** Why PostgreSQL could not be opened, with what to do about it; what has nothing to do with it passes unchanged. */
export function databaseFailure(thrown: unknown, url: string): unknown {
  const where = addressOf(url);
  const codes = codesOf(thrown);
  const has = (code: string): boolean => codes.includes(code);
  if (codes.some((code) => loginRefused.has(code))) {
    return refused(
      `PostgreSQL at ${where} does not accept the user or the password of --database-url.`,
      thrown,
    );
  }
  if (has(noDatabase)) {
    return refused(`There is no such database at ${where}; create it, or correct --database-url.`, thrown);
  }
  if (has(forbidden)) {
    return refused(`The user of --database-url may not make tables in the database at ${where}.`, thrown);
  }
  if (hasCode(thrown, "DatabaseUnavailable")) {
    const why = codes.at(-1);
    return new BowlineError(
      "DatabaseUnavailable",
      `PostgreSQL at ${where} cannot be reached${why === undefined ? "" : ` (${why})`}; start it, or correct --database-url.`,
      { cause: thrown },
    );
  }
  return thrown;
}

function refused(message: string, cause: unknown): BowlineError {
  return new BowlineError("InvalidArgument", message, { cause });
}

/** Host, port and database: what can be shown. */
export function addressOf(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host === "" ? "localhost" : host}${pathname}`;
}

/** The codes of what an error was caused by, the first cause last. */
function codesOf(thrown: unknown): string[] {
  const codes: string[] = [];
  for (let error = thrown; error instanceof Error; error = error.cause) {
    if (!(error instanceof BowlineError) && "code" in error) codes.push(String(error.code));
  }
  return codes;
}
