/** What spreadsheets take for a formula when a cell begins with it. */
const formula = /^[=+\-@\t\r]/u;

/** Rows as RFC 4180 writes them. Cells come from clusters too: none of them is run by the program that opens the file. */
export function csvOf(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => `${row.map(cellOf).join(",")}\r\n`).join("");
}

function cellOf(text: string): string {
  const safe = formula.test(text) ? `'${text}` : text;
  return /[",\r\n]/u.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
