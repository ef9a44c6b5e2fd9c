import { isRecord } from "@bowline/core";
import { useMemo, useSyncExternalStore } from "react";

import type { TableColumn } from "./table-rows.ts";

/** What a reader wants of the columns of one kind beyond what it shows by itself: names of columns and nothing else. */
export interface ColumnChoice {
  readonly hidden: readonly string[];
  /** Of those that are not shown by themselves. */
  readonly shown: readonly string[];
}

type Choices = ReadonlyMap<string, ColumnChoice>;
type AnyColumn = Pick<TableColumn<never>, "header" | "isExtra" | "isFixed">;

const storageKey = "bowline-columns";
/** A browser gives a page some megabytes for everything; clusters can have any number of kinds and columns. */
const maxKinds = 200;
const maxNames = 100;
const maxNameLength = 100;
const noChoice: ColumnChoice = { hidden: [], shown: [] };
const listeners = new Set<() => void>();
let current: Choices | undefined;

/** Whatever a storage has kept, as far as it is a choice. */
export function readChoices(text: string | null): Choices {
  const kept = Object.entries(parse(text)).filter(([kind]) => kind.length <= 2 * maxNameLength);
  const choices = kept.map(([kind, value]): [string, ColumnChoice] => [
    kind,
    isRecord(value) ? { hidden: namesIn(value["hidden"]), shown: namesIn(value["shown"]) } : noChoice,
  ]);
  return new Map(choices.slice(-maxKinds));
}

function namesIn(value: unknown): string[] {
  if (!Array.isArray(value)) return [];
  const names = value.filter((name: unknown): name is string => typeof name === "string");
  return names.filter((name) => name.length <= maxNameLength).slice(0, maxNames);
}

/** Whether somebody may choose it: the first column says what the row is, and some are no columns of the kind. */
export function isChoosable(columns: readonly AnyColumn[], column: AnyColumn): boolean {
  return column !== columns[0] && column.isFixed !== true;
}

export function isShown(columns: readonly AnyColumn[], column: AnyColumn, choice: ColumnChoice): boolean {
  if (!isChoosable(columns, column)) return true;
  if (column.isExtra === true) return choice.shown.includes(column.header);
  return !choice.hidden.includes(column.header);
}

/** The choice with one column turned on or off; what the kind does by itself is not written down. */
export function withColumn(
  choice: ColumnChoice,
  { header, isExtra }: AnyColumn,
  isOn: boolean,
): ColumnChoice {
  const without = (names: readonly string[]): string[] => names.filter((name) => name !== header);
  return {
    hidden: isOn || isExtra === true ? without(choice.hidden) : [...without(choice.hidden), header],
    shown: isOn && isExtra === true ? [...without(choice.shown), header] : without(choice.shown),
  };
}

export function columnChoice(kind: string): ColumnChoice {
  current ??= readChoices(stored());
  return current.get(kind) ?? noChoice;
}

/** Kept in this browser for this kind, wherever its objects are. */
export function setColumnChoice(kind: string, choice: ColumnChoice): void {
  current ??= readChoices(stored());
  const others = [...current].filter(([name]) => name !== kind);
  const isEmpty = choice.hidden.length === 0 && choice.shown.length === 0;
  current = new Map((isEmpty ? others : [...others, [kind, choice] as const]).slice(-maxKinds));
  try {
    localStorage.setItem(storageKey, JSON.stringify(Object.fromEntries(current)));
  } catch {
    // A browser may keep nothing: the choice then lasts as long as the page.
  }
  for (const listener of listeners) listener();
}

export function useColumnChoice(kind: string): ColumnChoice {
  return useSyncExternalStore(subscribe, () => columnChoice(kind));
}

/** The columns that are shown of a kind. The same list as long as nothing has changed. */
export function useShownColumns<Item>(
  kind: string,
  columns: readonly TableColumn<Item>[],
): readonly TableColumn<Item>[] {
  const choice = useColumnChoice(kind);
  return useMemo(() => columns.filter((column) => isShown(columns, column, choice)), [columns, choice]);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function stored(): string | null {
  try {
    return localStorage.getItem(storageKey);
  } catch {
    return null;
  }
}

function parse(text: string | null): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text ?? "{}");
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}
