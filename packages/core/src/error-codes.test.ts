import { readFileSync } from "node:fs";

import { describe, expect, test } from "vitest";

import { errorCodes, type ErrorCodeInfo } from "./error-codes.ts";

const page = readFileSync(new URL("../../../docs/reference/errors.md", import.meta.url), "utf8");

/** Rows of the page's tables: code, HTTP, exit, retry, when, what to do. */
const rows = page
  .split("\n")
  .filter((line) => line.startsWith("| `"))
  .map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );

const documented = rows.map(([code = "", http, exit, retry]): [string, ErrorCodeInfo] => [
  code.replaceAll("`", ""),
  { httpStatus: Number(http), exitCode: Number(exit), retryable: retry === "yes" },
]);

describe("docs/reference/errors.md", () => {
  test("lists exactly the codes of the table, with the same status, exit code and retry", () => {
    expect(Object.fromEntries(documented)).toEqual(errorCodes);
  });

  test("lists no code twice", () => {
    const codes = documented.map(([code]) => code);
    expect(codes).toEqual([...new Set(codes)]);
  });

  test.each(rows)("says for %s yes or no to a retry, when it happens and what to do", (...row) => {
    const [, , , retry, when, advice] = row;
    expect(row).toHaveLength(6);
    expect(retry).toMatch(/^(yes|no)$/);
    expect(when).toMatch(/^\S.{20,}\.$/);
    expect(advice).toMatch(/^\S.{10,}\.$/);
  });
});

describe("errorCodes", () => {
  test.each(Object.entries(errorCodes))("%s has a valid HTTP status and exit code", (_code, info) => {
    expect(info.httpStatus).toBeGreaterThanOrEqual(400);
    expect(info.httpStatus).toBeLessThan(600);
    expect(info.exitCode).toBeGreaterThan(0);
    expect(info.exitCode).toBeLessThan(256);
  });
});
