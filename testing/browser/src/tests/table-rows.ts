/** The cells of a row by the headers of their columns, in capitals. Ages are left out: they change while one looks. */
export type TableRow = Readonly<Record<string, string>>;

/** Rows of a table as kubectl prints it, by name. */
export function kubectlRows(printed: string): TableRow[] {
  const [head = "", ...lines] = printed.trimEnd().split("\n");
  // Headers may have a space in them, and are apart by three.
  const starts = Array.from(head.matchAll(/\S+(?: \S+)*/gu), ({ index }) => index);
  const cellsOf = (line: string): string[] =>
    starts.map((start, at) => line.slice(start, starts[at + 1]).trim());
  return namedRows(cellsOf(head), lines.map(cellsOf));
}

/** Rows of a table as the page has it, headers first, by name. */
export function pageRows([head = [], ...rows]: readonly (readonly string[])[]): TableRow[] {
  return namedRows(
    head.map((header) => header.toUpperCase()),
    rows,
  );
}

function namedRows(head: readonly string[], rows: readonly (readonly string[])[]): TableRow[] {
  const named = rows.map((cells) =>
    Object.fromEntries(
      head.flatMap((header, at) => (header === "AGE" ? [] : [[header, cells[at] ?? ""] as const])),
    ),
  );
  const nameOf = (row: TableRow): string => `${row["NAMESPACE"] ?? ""}/${row["NAME"] ?? ""}`;
  return named.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
}
