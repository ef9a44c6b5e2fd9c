import { formatAge } from "@bowline/api";

import type { ServerColumn, TableRow } from "../../kube/tables.ts";
import { healthNames, healthRank, type HealthName } from "../../ui/health-mark.tsx";
import type { TableColumn } from "../../ui/table-rows.ts";

export interface ColumnChoice {
  /** Also those that the server thinks are too much for most. */
  readonly wide: boolean;
  /** Whether rows are of several namespaces. */
  readonly namespaces: boolean;
  /** Whether the order by name begins with what is in trouble. */
  readonly troubleFirst?: boolean;
}

/** The server's columns, with the namespace where that is not clear. No column is made up here. */
export function tableColumns(
  columns: readonly ServerColumn[],
  { wide, namespaces, troubleFirst = false }: ColumnChoice,
): TableColumn<TableRow>[] {
  const shown = columns.map((column, index) => ({
    ...tableColumn(column, index),
    ...(index === 0 ? { width: "minmax(15rem, 2.5fr)" } : {}),
    ...(wide || column.priority === 0 ? {} : { isExtra: true }),
  }));
  const [named, ...others] = shown;
  if (named === undefined) return shown;
  const first = troubleFirst ? { ...named, sortKey: troubleKey } : named;
  if (!namespaces) return [first, ...others];
  return [first, { header: "Namespace", text: ({ metadata }) => metadata.namespace ?? "" }, ...others];
}

function tableColumn({ name, type }: ServerColumn, index: number): TableColumn<TableRow> {
  if (isAge(name)) {
    return {
      header: name,
      // The server's age is that of the moment when it was asked.
      text: ({ metadata }, nowMs) =>
        metadata.createdAt === undefined ? "" : formatAge(nowMs - Date.parse(metadata.createdAt)),
      sortKey: ({ metadata }) => -Date.parse(metadata.createdAt ?? ""),
      isNumber: true,
    };
  }
  const isNumber = type === "integer" || type === "number";
  return {
    header: name,
    text: ({ cells }) => cellText(cells[index]),
    sortKey: ({ cells }) => {
      const cell = cells[index];
      return typeof cell === "number" ? cell : cellText(cell);
    },
    isNumber,
  };
}

function isAge(name: string): boolean {
  return name.toLowerCase() === "age";
}

function cellText(cell: unknown): string {
  if (cell === null || cell === undefined) return "";
  return typeof cell === "string" ? cell : JSON.stringify(cell);
}

function troubleKey(row: TableRow): string {
  const health = rowHealth(row);
  return `${health === undefined ? healthNames.length : healthRank[health]} ${row.metadata.name}`;
}

const goodWords = new Set([
  "running",
  "completed",
  "succeeded",
  "active",
  "ready",
  "bound",
  "available",
  "true",
]);
const busyWords =
  /^(pending|containercreating|podinitializing|terminating|progressing|init:\d+\/\d+|released)$/u;

/**
 * What the cells of a row say about its health, where they say something: `READY 1/3`, or a status. The object's own
 * page knows better; this is to find what to look at.
 */
export function rowHealth({ columns, cells, metadata }: TableRow): HealthName | undefined {
  if (metadata.isDeleting) return "Progressing";
  const told = columns.findIndex(({ name }) => name.toLowerCase() === "health");
  const health = healthNames.find((name) => name === cells[told]);
  if (health !== undefined) return health;
  const cell = (...names: string[]): string => {
    const index = columns.findIndex(({ name }) => names.includes(name.toLowerCase()));
    return index < 0 ? "" : cellText(cells[index]).toLowerCase();
  };
  const status = cell("status", "phase");
  const word = status.split(",")[0] ?? "";
  const [, ready, wanted] = /^(\d+)\/(\d+)$/u.exec(cell("ready", "completions")) ?? [];
  if (word === "completed" || word === "succeeded") return "Healthy";
  if (word !== "" && !goodWords.has(word)) return busyWords.test(word) ? "Progressing" : "Degraded";
  if (status.includes("schedulingdisabled")) return "Suspended";
  if (ready !== undefined) return ready === wanted ? "Healthy" : "Degraded";
  return word === "" ? undefined : "Healthy";
}
