import { useVirtualizer } from "@tanstack/react-virtual";
import {
  memo,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
  type KeyboardEvent,
  type ReactNode,
} from "react";

import { useNowMs } from "../live/now.ts";
import type { LiveSnapshot } from "../live/watched-objects.ts";
import { cleanText } from "../text/clean-text.ts";
import { ColumnChooser } from "./column-chooser.tsx";
import { useShownColumns } from "./column-choice.ts";
import { heldOrder, type HeldOrder } from "./held-order.ts";
import { ListExport } from "./list-export.tsx";
import { FilteredEmpty } from "./states.tsx";
import { HeadRow, HeldPill } from "./table-head.tsx";
import { leastWidthRem, selectRows, type TableColumn, type TableSort, usualWidth } from "./table-rows.ts";

export interface LiveTableProps<Item> {
  /** Names the table for those who cannot see it. */
  readonly label: string;
  /** What its columns are those of: a choice of columns is kept under this name. */
  readonly kind: string;
  readonly list: Pick<LiveSnapshot<Item>, "items">;
  readonly columns: readonly TableColumn<Item>[];
  readonly filter: string;
  readonly onFilter: (filter: string) => void;
  readonly sort: TableSort | undefined;
  readonly onSort: (sort: TableSort) => void;
  readonly onOpen: (item: Item) => void;
  /** Told which row has the focus, for keys that do something with it. */
  readonly onSelect?: (item: Item) => void;
  /** Before the first cell. */
  readonly mark?: (item: Item) => ReactNode;
  /** The name of the file that what is shown can be saved as, where the page around the table does not offer that. */
  readonly exportName?: string;
}

const rowPx = 28;

/** A table of any length that changes while one looks at it, and does not jump. */
export function LiveTable<Item>(props: LiveTableProps<Item>): ReactNode {
  const { label, kind, list, filter, sort, onOpen, exportName } = props;
  const { items } = list;
  const columns = useShownColumns(kind, props.columns);
  const scroller = useRef<HTMLDivElement>(null);
  const [focused, setFocused] = useState<string>();
  const [isHeld, setHeld] = useState(false);
  const wanted = useMemo(
    () => selectRows(list.items, { columns, filter, sort }),
    [list, columns, filter, sort],
  );
  const order = useHeldOrder(wanted, { isHeld, resetBy: `${filter}\n${sort?.header}\n${sort?.descending}` });
  const { keys } = order.held;
  // With another function all rows would be measured anew, for each picture while one scrolls.
  const getItemKey = useCallback((index: number) => keys[index] ?? index, [keys]);
  const virtual = useVirtualizer({
    count: keys.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowPx,
    overscan: 12,
    getItemKey,
  });
  const focus = (index: number): void => {
    const key = keys[Math.max(0, Math.min(keys.length - 1, index))];
    if (key === undefined) return;
    setFocused(key);
    virtual.scrollToIndex(keys.indexOf(key));
    requestAnimationFrame(() => document.getElementById(rowId(label, key))?.focus({ preventScroll: true }));
  };
  const onKey = (event: KeyboardEvent): void => {
    const at = keys.indexOf(focused ?? "");
    const move = movements[event.key];
    if (move !== undefined) {
      event.preventDefault();
      focus(move(at, keys.length));
    }
    const item = focused === undefined ? undefined : items.get(focused);
    if (event.key === "Enter" && item !== undefined) onOpen(item);
    if (event.key === "r" && !event.ctrlKey && !event.metaKey) order.show();
  };
  const openRow = useLatest((key: string) => {
    const item = items.get(key);
    if (item !== undefined) onOpen(item);
  });
  const focusRow = useLatest((key: string) => {
    setFocused(key);
    const item = items.get(key);
    if (item !== undefined) props.onSelect?.(item);
  });
  const template = {
    gridTemplateColumns: columns.map(({ width = usualWidth }) => width).join(" "),
  };
  const minWidth = `${leastWidthRem(columns)}rem`;
  return (
    <div className="relative flex min-h-0 flex-1 flex-col">
      <ColumnChooser kind={kind} columns={props.columns}>
        {exportName !== undefined && (
          <ListExport
            name={exportName}
            kind={kind}
            items={items}
            columns={props.columns}
            filter={filter}
            sort={sort}
          />
        )}
      </ColumnChooser>
      <HeldPill held={order.held} onShow={order.show} />
      <div
        ref={scroller}
        role="grid"
        tabIndex={-1}
        aria-label={label}
        aria-rowcount={wanted.length + 1}
        className="min-h-0 flex-1 overflow-auto"
        onKeyDown={onKey}
        onPointerEnter={() => setHeld(true)}
        onPointerLeave={() => setHeld(false)}
        onFocus={() => setHeld(true)}
        onBlur={() => setHeld(false)}
      >
        <HeadRow columns={columns} sort={sort} onSort={props.onSort} style={template} minWidth={minWidth} />
        <div role="rowgroup" className="relative" style={{ height: virtual.getTotalSize(), minWidth }}>
          {virtual.getVirtualItems().map(({ index, start }) => {
            const key = keys[index] ?? "";
            const isFirst = focused === undefined || !items.has(focused) ? index === 0 : key === focused;
            return (
              <Row
                key={key}
                id={rowId(label, key)}
                rowKey={key}
                item={items.get(key)}
                columns={columns}
                mark={props.mark}
                index={index}
                isTabStop={isFirst}
                top={start}
                template={template.gridTemplateColumns}
                onOpen={openRow}
                onFocus={focusRow}
              />
            );
          })}
        </div>
      </div>
      {wanted.length === 0 && items.size > 0 && (
        <div className="absolute top-17">
          <FilteredEmpty hidden={items.size} onClear={() => props.onFilter("")} />
        </div>
      )}
    </div>
  );
}

const movements: Readonly<Record<string, (at: number, count: number) => number>> = {
  ArrowDown: (at) => at + 1,
  j: (at) => at + 1,
  ArrowUp: (at) => at - 1,
  k: (at) => at - 1,
  PageDown: (at) => at + 20,
  PageUp: (at) => at - 20,
  Home: () => 0,
  End: (_, count) => count - 1,
};

interface ShownOrder {
  readonly keys: readonly string[];
  readonly resetBy: string;
}

function useHeldOrder(
  wanted: readonly string[],
  { isHeld, resetBy }: { isHeld: boolean; resetBy: string },
): { held: HeldOrder; show: () => void } {
  const [shown, setShown] = useState<ShownOrder>({ keys: wanted, resetBy });
  // The first rows come one after the other: nobody reads a list yet that is not there.
  const isNew = shown.keys.length === 0 || shown.resetBy !== resetBy;
  if ((!isHeld || isNew) && (shown.keys !== wanted || shown.resetBy !== resetBy)) {
    setShown({ keys: wanted, resetBy });
  }
  const held = useMemo(() => heldOrder(shown.keys, wanted), [shown, wanted]);
  return { held, show: () => setShown({ keys: wanted, resetBy }) };
}

interface RowProps<Item> {
  readonly id: string;
  readonly rowKey: string;
  /** Undefined for one that is gone, and stays until the reader looks away. */
  readonly item: Item | undefined;
  readonly columns: readonly TableColumn<Item>[];
  readonly mark: ((item: Item) => ReactNode) | undefined;
  readonly index: number;
  readonly isTabStop: boolean;
  readonly top: number;
  readonly template: string;
  readonly onOpen: (key: string) => void;
  readonly onFocus: (key: string) => void;
}

function RowView<Item>(props: RowProps<Item>): ReactNode {
  const {
    id,
    rowKey,
    item: current,
    columns,
    mark,
    index,
    isTabStop,
    top,
    template,
    onOpen,
    onFocus,
  } = props;
  const nowMs = useNowMs();
  const [last, setLast] = useState(current);
  if (current !== undefined && current !== last) setLast(current);
  const item = current ?? last;
  const isGone = current === undefined;
  if (item === undefined) return null;
  const marked = mark?.(item);
  return (
    // oxlint-disable-next-line click-events-have-key-events -- the table takes Enter for its rows
    <div
      id={id}
      role="row"
      aria-rowindex={index + 2}
      tabIndex={isTabStop ? 0 : -1}
      className={`group absolute grid h-7 w-full cursor-pointer items-center border-b border-border/60 hover:bg-surface focus:bg-surface ${isGone ? "line-through opacity-60" : ""}`}
      style={{ gridTemplateColumns: template, transform: `translateY(${top}px)` }}
      onClick={() => onOpen(rowKey)}
      onFocus={() => onFocus(rowKey)}
    >
      {columns.map((column, at) => (
        <div
          key={column.header}
          role="gridcell"
          className={`truncate px-2 ${column.isNumber === true ? "text-right" : ""} ${at === 0 ? firstCell : ""}`}
        >
          {at === 0 && marked !== undefined && <span className="mr-1.5 align-middle">{marked}</span>}
          {column.cell?.(item) ?? cleanText(column.text(item, nowMs), 300)}
        </div>
      ))}
    </div>
  );
}

/** In view however far one goes to the right: it says what the others are about. */
const firstCell =
  "sticky left-0 z-[1] h-full content-center bg-bg font-semibold group-hover:bg-surface group-focus:bg-surface";

/** Drawn again when something of it has changed, and not whenever something of the table has. */
const Row = memo(RowView) as typeof RowView;

/** A function that is always the same and does what the latest one does. */
function useLatest<Argument>(run: (argument: Argument) => void): (argument: Argument) => void {
  const latest = useRef(run);
  useEffect(() => {
    latest.current = run;
  });
  return useCallback((argument) => latest.current(argument), []);
}

function rowId(label: string, key: string): string {
  return `${label}-${key}`;
}
