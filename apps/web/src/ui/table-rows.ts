import type { ReactNode } from "react";

/** A column of a table, whatever it is a table of. */
export interface TableColumn<Item> {
  readonly header: string;
  /** The cell, as text: what is shown, filtered by and copied. */
  readonly text: (item: Item, nowMs: number) => string;
  /** What to sort by, where that is not the text. */
  readonly sortKey?: (item: Item) => string | number;
  readonly isNumber?: boolean;
  /** What is drawn in place of the text. It says the same, to those who cannot see it too. */
  readonly cell?: (item: Item) => ReactNode;
  /** Shown to those only who have chosen it. */
  readonly isExtra?: boolean;
  /** Always shown: it stands for something that there is, such as a cluster, and is no part of the kind. */
  readonly isFixed?: boolean;
  /** As `grid-template-columns` has it. */
  readonly width?: string;
}

/** Of a column that does not say. */
export const usualWidth = "minmax(6rem, 1fr)";

/** As narrow as a table can be, in rem: what its columns need at least. A row that is narrower would end before them. */
export function leastWidthRem(columns: readonly Pick<TableColumn<never>, "width">[]): number {
  const least = columns.map(({ width = usualWidth }) => Number(/([\d.]+)rem/u.exec(width)?.[1] ?? 0));
  return least.reduce((sum, rem) => sum + rem, 0);
}

export interface TableSort {
  readonly header: string;
  readonly descending: boolean;
}

export interface RowSelection<Item> {
  readonly columns: readonly TableColumn<Item>[];
  readonly filter: string;
  readonly sort: TableSort | undefined;
}

/**
 * The keys of the rows that a filter leaves, in order. Words of the filter must all be there; `!` before one means that
 * it must not.
 */
export function selectRows<Item>(items: ReadonlyMap<string, Item>, selection: RowSelection<Item>): string[] {
  const { columns, filter, sort } = selection;
  const words = filter.toLowerCase().split(/\s+/u).filter(Boolean);
  const textOf = remembered(columns, (item: Item) =>
    columns
      .map((column) => column.text(item, 0))
      .join(" ")
      .toLowerCase(),
  );
  const matches = (item: Item): boolean => {
    const text = textOf(item);
    return words.every((word) =>
      word.startsWith("!") && word.length > 1 ? !text.includes(word.slice(1)) : text.includes(word),
    );
  };
  const rows = words.length === 0 ? [...items] : [...items].filter(([, item]) => matches(item));
  const column = columns.find(({ header }) => header === sort?.header) ?? columns[0];
  if (column === undefined) return rows.map(([key]) => key);
  const orderOf = remembered(column, (item: Item) =>
    orderKey(column.sortKey?.(item) ?? column.text(item, 0)),
  );
  const keyed = rows.map(([key, item]) => ({ key, by: orderOf(item) }));
  const direction = sort?.descending === true ? -1 : 1;
  keyed.sort((a, b) => direction * compare(a.by, b.by) || compare(a.key, b.key));
  return keyed.map(({ key }) => key);
}

type Memory = WeakMap<WeakKey, unknown>;

const memories = new WeakMap<WeakKey, Memory>();

/**
 * A function of items that is asked once for each: those that have not changed are the same objects as before, and of
 * ten thousand rows few have changed since the last picture. `owner` is what the answers depend on beside the item.
 */
function remembered<Item, Answer>(owner: WeakKey, answer: (item: Item) => Answer): (item: Item) => Answer {
  let memory = memories.get(owner);
  if (memory === undefined) memories.set(owner, (memory = new WeakMap()));
  const known = memory as WeakMap<WeakKey, Answer>;
  return (item) => {
    if (typeof item !== "object" || item === null) return answer(item);
    const before = known.get(item);
    if (before !== undefined) return before;
    const now = answer(item);
    known.set(item, now);
    return now;
  };
}

/**
 * Something to compare by: `web-2` comes before `web-10`, and case and accents do not count. Made once for each row,
 * since a collator that does the same for each comparison takes ten times as long.
 */
function orderKey(value: string | number): string | number {
  if (typeof value === "number") return value;
  const plain = isAscii.test(value) ? value : value.normalize("NFD").replaceAll(marks, "");
  return plain.toLowerCase().replaceAll(digits, (number) => number.padStart(numberWidth, "0"));
}

const isAscii = /^[ -~]*$/u;
const marks = /\p{M}/gu;
const digits = /\d+/gu;
const numberWidth = 12;

function compare(a: string | number, b: string | number): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  const [left, right] = [String(a), String(b)];
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
