import { groupings, type Grouping } from "./grouping.ts";
import { parseNode } from "./node-ref.ts";

/** What the explorer shows, as it is in the address. */
export interface GraphSearch {
  readonly cluster?: string;
  /** `Kind/namespace/name` of the one in the middle. */
  readonly focus?: string;
  /** 2 if missing. */
  readonly depth?: 1 | 3;
  /** Types of edges that are not drawn, with commas between them. */
  readonly without?: string;
  readonly group?: Exclude<Grouping, "none">;
  readonly view?: "table";
  /** How many nodes; 200 if missing. */
  readonly budget?: number;
  /** The time that is shown; missing for now. */
  readonly at?: string;
  /** The earlier time that it is compared with. */
  readonly since?: string;
  /** What lies beside the picture. */
  readonly peek?: string;
}

export const edgeTypes = [
  "OWNS",
  "USES_SECRET",
  "USES_CONFIGMAP",
  "BACKED_BY",
  "RUNS_IMAGE",
  "RUNS_AS",
  "RUNS_ON",
  "SELECTS",
  "ROUTES_TO",
  "ATTACHED_TO",
  "BINDS",
  "GRANTS",
] as const;
export type EdgeType = (typeof edgeTypes)[number];

/** How many nodes are drawn; the ceiling is that of the API, too. */
export const budgets = { usual: 200, some: 500, many: 1_000, ceiling: 2_000 } as const;

/** Takes what can be meant from an address, which anybody may have written. */
export function readGraphSearch(search: Readonly<Record<string, unknown>>): GraphSearch {
  const { cluster, focus, depth, without, group, view, budget, at, since, peek } = search;
  const types = typeof without === "string" ? edgeTypesIn(without) : [];
  return {
    ...(isText(cluster) ? { cluster } : {}),
    ...(isText(focus) && parseNode(focus) !== undefined ? { focus } : {}),
    ...(depth === 1 || depth === 3 ? { depth } : {}),
    ...(types.length > 0 ? { without: types.join(",") } : {}),
    ...(isGrouping(group) ? { group } : {}),
    ...(view === "table" ? { view } : {}),
    ...(isBudget(budget) ? { budget } : {}),
    ...(isTime(at) ? { at } : {}),
    ...(isTime(since) ? { since } : {}),
    ...(isText(peek) && parseNode(peek.slice(peek.indexOf(" ") + 1)) !== undefined ? { peek } : {}),
  };
}

/** The types in a list that edges have, in their order. */
export function edgeTypesIn(list: string): EdgeType[] {
  const names = new Set(list.split(","));
  return edgeTypes.filter((type) => names.has(type));
}

/** As the question takes them: undefined for all. */
export function wantedEdges(without: string | undefined): string | undefined {
  const hidden = new Set<string>(edgeTypesIn(without ?? ""));
  return hidden.size === 0 ? undefined : edgeTypes.filter((type) => !hidden.has(type)).join(",");
}

/** The list with a type more, or less. */
export function toggledEdge(without: string | undefined, type: EdgeType): string | undefined {
  const hidden = new Set(edgeTypesIn(without ?? ""));
  if (!hidden.delete(type)) hidden.add(type);
  return hidden.size === 0 ? undefined : edgeTypes.filter((each) => hidden.has(each)).join(",");
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= 1_024;
}

function isGrouping(value: unknown): value is Exclude<Grouping, "none"> {
  return value !== "none" && groupings.some((grouping) => grouping === value);
}

function isBudget(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 10 && value <= budgets.ceiling;
}

/** A time as addresses have it. */
function isTime(value: unknown): value is string {
  return typeof value === "string" && value.length <= 35 && !Number.isNaN(Date.parse(value));
}
