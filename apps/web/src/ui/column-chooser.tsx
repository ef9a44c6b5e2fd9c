import { useEffect, useId, useMemo, useRef, useState, type KeyboardEvent, type ReactNode } from "react";

import { cleanText } from "../text/clean-text.ts";
import { isChoosable, isShown, setColumnChoice, useColumnChoice, withColumn } from "./column-choice.ts";
import { useKeys, type KeyAction } from "./keys.ts";
import type { TableColumn } from "./table-rows.ts";

interface ColumnChooserProps<Item> {
  readonly kind: string;
  /** All that there are, shown or not. */
  readonly columns: readonly TableColumn<Item>[];
  /** More that can be done with what is shown. */
  readonly children?: ReactNode;
}

/**
 * Which columns a table has; `o` opens it, Escape closes it. It has a line of its own above the table: beside the
 * headings there is no room that some column, in some window, does not need.
 */
export function ColumnChooser<Item>({ kind, columns, children }: ColumnChooserProps<Item>): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const choice = useColumnChoice(kind);
  const button = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  const id = useId();
  useKeys(useMemo((): KeyAction[] => [{ keys: "o", does: "Choose columns", run: () => setOpen(true) }], []));
  useEffect(() => {
    if (isOpen) panel.current?.querySelector("input")?.focus();
  }, [isOpen]);
  const close = (): void => {
    setOpen(false);
    button.current?.focus();
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.key === "Escape") {
      event.stopPropagation();
      close();
      return;
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const boxes = [...(panel.current?.querySelectorAll("input") ?? [])];
    const at = boxes.findIndex((box) => box === document.activeElement);
    if (step === undefined || at < 0) return;
    event.preventDefault();
    boxes.at((at + step) % boxes.length)?.focus();
  };
  return (
    <div className="relative flex shrink-0 justify-end px-3 pb-1">
      <button
        ref={button}
        type="button"
        aria-expanded={isOpen}
        aria-controls={id}
        className="h-7 min-w-6 rounded-sm border border-border bg-surface px-1.5 text-xs text-muted hover:text-text"
        onClick={() => setOpen(!isOpen)}
      >
        Columns
      </button>
      {isOpen && (
        // oxlint-disable-next-line no-noninteractive-element-interactions -- arrows go from box to box
        <div
          ref={panel}
          id={id}
          role="group"
          aria-label="Columns"
          className="absolute top-full right-3 z-10 max-h-80 w-56 space-y-1 overflow-auto rounded-md border border-border bg-raised p-2 shadow"
          onKeyDown={onKey}
          onBlur={({ relatedTarget }) => {
            const isInside =
              relatedTarget === button.current || panel.current?.contains(relatedTarget) === true;
            if (relatedTarget !== null && !isInside) setOpen(false);
          }}
        >
          {columns
            .filter((column) => isChoosable(columns, column))
            .map((column) => (
              <label key={column.header} className="flex min-h-6 items-center gap-2">
                <input
                  type="checkbox"
                  checked={isShown(columns, column, choice)}
                  onChange={({ target }) => setColumnChoice(kind, withColumn(choice, column, target.checked))}
                />
                <span className="truncate">{cleanText(column.header, 100)}</span>
              </label>
            ))}
          <button
            type="button"
            className="min-h-6 text-accent underline"
            onClick={() => setColumnChoice(kind, { hidden: [], shown: [] })}
          >
            As it comes
          </button>
          {children}
        </div>
      )}
    </div>
  );
}
