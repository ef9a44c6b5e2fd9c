import { useEffect, useId, useRef, type ReactNode } from "react";

import { preferences } from "./preferences.ts";

export interface FilterFieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** How many are left of how many. */
  readonly count?: string;
}

/** The filter of a list; `/` goes there from anywhere on the page. */
export function FilterField({ value, onChange, count }: FilterFieldProps): ReactNode {
  const field = useRef<HTMLInputElement>(null);
  const id = useId();
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (!preferences().letterKeys) return;
      if (event.key !== "/" || isTyping(event.target) || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      field.current?.focus();
      field.current?.select();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  return (
    <div className="flex items-center gap-2">
      <label htmlFor={id} className="sr-only">
        Filter
      </label>
      <input
        ref={field}
        id={id}
        type="search"
        value={value}
        placeholder="Filter ( / )"
        className="w-56 rounded-sm border border-control bg-bg px-2 py-1"
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== "Escape") return;
          // A browser would empty the field too, and with it the filter that one wants to go on with.
          event.preventDefault();
          field.current?.blur();
        }}
      />
      {count !== undefined && <span className="text-xs text-muted">{count}</span>}
    </div>
  );
}

/** Whether keys that are typed there are meant as text. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName);
}
