import { useVirtualizer } from "@tanstack/react-virtual";
import {
  useCallback,
  useEffect,
  useId,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
  type KeyboardEvent,
  type ReactNode,
  type Ref,
} from "react";

import type { LogLine } from "../../logs/log-line.ts";
import type { MatchRange } from "../../logs/log-query.ts";
import { LogRow, sourceLetter } from "./log-row.tsx";
import "./log-colours.css";

/** The rows to draw; another object whenever they have changed. */
export interface ShownRows {
  readonly rows: readonly LogLine[];
  /** Where among the rows the matches are. */
  readonly positions: readonly number[];
}

export interface LogLinesProps {
  readonly shown: ShownRows;
  /** How many rows have gone at the front. */
  readonly lost: number;
  readonly sourceNames: readonly string[];
  readonly ranges: ReadonlyMap<number, readonly MatchRange[]>;
  readonly wrap: boolean;
  readonly times: boolean;
  readonly onOpen: (line: LogLine) => void;
  readonly onStep: (step: 1 | -1) => void;
  readonly handle: Ref<LogLinesHandle>;
}

export interface LogLinesHandle {
  /** Goes to a row and stays there. */
  show(index: number): void;
  readonly current: number | undefined;
}

const rowPx = 18;
/** So far from the end counts as being there: a row is never quite in view. */
const nearEndPx = rowPx * 2;

/** The lines themselves, of which only those in view are drawn; at the end they follow, until one scrolls up. */
export function LogLines(props: LogLinesProps): ReactNode {
  const { shown, lost, sourceNames, ranges, wrap, times, onOpen, onStep, handle } = props;
  const { rows } = shown;
  const scroller = useRef<HTMLDivElement>(null);
  const id = useId();
  const [isFollowing, setFollowing] = useState(true);
  const [leftAt, setLeftAt] = useState(0);
  const [current, setCurrent] = useState<number>();
  // With another function all rows are measured anew. Where they are all of one height, whatever is written in them,
  // their places are all that has to be known.
  const idOf = useCallback((index: number) => shown.rows[index]?.id ?? index, [shown]);
  const getItemKey = wrap ? idOf : placeOf;
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowPx,
    overscan: 20,
    getItemKey,
  });
  const end = rows.length - 1;
  const follow = useCallback(() => {
    setFollowing(true);
    setCurrent(undefined);
  }, []);
  const stay = useCallback(() => {
    setFollowing((before) => {
      if (before) setLeftAt(rows.length + lost);
      return false;
    });
  }, [rows, lost]);
  const show = useCallback(
    (index: number) => {
      const target = Math.max(0, Math.min(end, index));
      stay();
      setCurrent(target);
      virtual.scrollToIndex(target, { align: "auto" });
    },
    [end, stay, virtual],
  );
  useImperativeHandle(handle, () => ({ show, current }), [show, current]);
  useEffect(() => virtual.measure(), [virtual, wrap]);
  useLayoutEffect(() => {
    const count = shown.rows.length;
    if (isFollowing && count > 0) virtual.scrollToIndex(count - 1, { align: "end" });
  }, [isFollowing, shown, virtual, wrap, times]);
  useKeptPlace(scroller, { lost, isHeld: !isFollowing && !wrap });
  const onScroll = (): void => {
    const element = scroller.current;
    if (element === null) return;
    const isAtEnd = element.scrollHeight - element.scrollTop - element.clientHeight <= nearEndPx;
    if (isAtEnd && !isFollowing && current === undefined) follow();
  };
  const onKey = (event: KeyboardEvent): void => {
    const step = steps[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (step !== undefined) show((current ?? virtual.getVirtualItems().at(-1)?.index ?? end) + step);
    else if (event.key === "Home" || event.key === "g") show(0);
    else if (event.key === "End" || event.key === "G") follow();
    else if (event.key === "n" || event.key === "N") onStep(event.key === "n" ? 1 : -1);
    else if (event.key === "Enter" && current !== undefined && rows[current] !== undefined)
      onOpen(rows[current]);
    else return;
    event.preventDefault();
  };
  const fresh = Math.max(0, rows.length + lost - leftAt);
  return (
    <div className="relative flex min-h-0 flex-1 flex-col">
      <div
        ref={scroller}
        role="listbox"
        aria-label="Lines"
        aria-activedescendant={current === undefined ? undefined : `${id}-${current}`}
        tabIndex={0}
        className="log-lines min-h-0 flex-1 overflow-auto bg-bg font-mono text-[12.5px] leading-[18px] outline-offset-[-2px]"
        onKeyDown={onKey}
        onScroll={onScroll}
        onWheel={(event) => {
          if (event.deltaY < 0) stay();
        }}
        onPointerDown={(event) => {
          // On the scroll bar, which is no row.
          if (event.target === scroller.current) stay();
        }}
        onTouchMove={stay}
      >
        <div className="relative min-w-full" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start }) => {
            const line = rows[index];
            if (line === undefined) return null;
            return (
              // oxlint-disable-next-line click-events-have-key-events -- the list takes Enter for its lines
              <div
                key={line.id}
                role="option"
                tabIndex={-1}
                id={`${id}-${index}`}
                aria-posinset={index + 1}
                aria-setsize={rows.length}
                aria-selected={index === current}
                data-index={index}
                ref={wrap ? virtual.measureElement : undefined}
                className={`absolute left-0 min-w-full px-2 ${wrap ? "w-full" : "h-[18px]"} ${index === current ? "bg-accent/15" : "hover:bg-surface"}`}
                style={{ transform: `translateY(${start}px)` }}
                onClick={() => {
                  if (getSelection()?.isCollapsed !== false) onOpen(line);
                }}
              >
                <LogRow
                  line={line}
                  letter={sourceNames.length > 1 ? sourceLetter(line.source) : undefined}
                  sourceName={sourceNames[line.source] ?? ""}
                  showTime={times}
                  wrap={wrap}
                  ranges={ranges.get(line.id)}
                  isCurrent={index === current}
                />
              </div>
            );
          })}
        </div>
      </div>
      {!isFollowing && (
        <button
          type="button"
          className="absolute right-4 bottom-3 rounded-md bg-accent px-3 py-1 text-on-accent shadow"
          onClick={follow}
        >
          {fresh > 0 ? `${fresh.toLocaleString("en")} new ↓` : "Follow ↓"}
        </button>
      )}
    </div>
  );
}

function placeOf(index: number): number {
  return index;
}

const steps: Readonly<Record<string, number>> = {
  ArrowDown: 1,
  j: 1,
  ArrowUp: -1,
  k: -1,
  PageDown: 30,
  PageUp: -30,
};

/** When lines go at the front, those that are read stay where they are. */
function useKeptPlace(
  scroller: { readonly current: HTMLDivElement | null },
  { lost, isHeld }: { readonly lost: number; readonly isHeld: boolean },
): void {
  const before = useRef(lost);
  useLayoutEffect(() => {
    const gone = lost - before.current;
    before.current = lost;
    if (isHeld && gone > 0 && scroller.current !== null) scroller.current.scrollBy({ top: -gone * rowPx });
  }, [scroller, lost, isHeld]);
}
