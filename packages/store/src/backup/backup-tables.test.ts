import { readFileSync } from "node:fs";

import { expect, test } from "vitest";

import { backupParts } from "./backup-tables.ts";

const said = { always: "always", history: "unless `--no-history`", never: "never" } as const;
/** Tables of which only some rows are in. */
const partly: Readonly<Record<string, string>> = {
  changes: "the last of each object",
  answers: "those that still count",
};

test("docs/reference/backup.md says of every table whether it is in a backup, and why", () => {
  const page = readFileSync(new URL("../../../../docs/reference/backup.md", import.meta.url), "utf8");
  const rows = [...page.matchAll(/^\| `([a-z_]+)` +\| (.+?) +\| (\S.*?) +\|$/gmu)];
  const documented = Object.fromEntries(rows.map(([, table = "", when = ""]) => [table, when]));
  const expected = Object.entries(backupParts).map(([table, part]) => [table, partly[table] ?? said[part]]);
  expect(documented).toEqual(Object.fromEntries(expected));
});
