import { BowlineError } from "@bowline/core";
import { expect, test } from "vitest";

import { databaseFailure } from "./open-database.ts";

const url = "postgres://bowline:s3cret@db.example.com:5433/shop";

function pgError(code: string): Error {
  return Object.assign(new Error("from the database"), { code });
}

function wrapped(code: string): BowlineError {
  return new BowlineError("MigrationFailed", "no", {
    cause: new BowlineError("Internal", "no", { cause: pgError(code) }),
  });
}

test.each([
  [
    "28P01",
    "PostgreSQL at db.example.com:5433/shop does not accept the user or the password of --database-url.",
  ],
  [
    "28000",
    "PostgreSQL at db.example.com:5433/shop does not accept the user or the password of --database-url.",
  ],
  ["3D000", "There is no such database at db.example.com:5433/shop; create it, or correct --database-url."],
  ["42501", "The user of --database-url may not make tables in the database at db.example.com:5433/shop."],
])("says what %s means, and no password", (code, message) => {
  expect(databaseFailure(wrapped(code), url)).toMatchObject({ code: "InvalidArgument", message });
});

test("says where the database is not, and why", () => {
  const error = new BowlineError("DatabaseUnavailable", "gone", { cause: pgError("ECONNREFUSED") });
  expect(databaseFailure(error, url)).toMatchObject({
    code: "DatabaseUnavailable",
    message:
      "PostgreSQL at db.example.com:5433/shop cannot be reached (ECONNREFUSED); start it, or correct --database-url.",
  });
});

test("passes what it knows nothing about", () => {
  const error = new BowlineError("MigrationFailed", "newer version");
  expect(databaseFailure(error, url)).toBe(error);
});
