import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

export interface TabLink {
  /** As the address has it; empty for the first. */
  readonly tab: string;
  readonly name: string;
  readonly count?: number;
}

/** Parts of a screen, each with an address of its own: links, because that is what they are. */
export function TabLinks({
  tabs,
  current,
  label,
}: {
  tabs: readonly TabLink[];
  current: string;
  label: string;
}): ReactNode {
  return (
    <nav aria-label={label} className="flex flex-wrap gap-x-4 border-b border-border px-4">
      {tabs.map(({ tab, name, count }) => (
        <Link
          key={tab}
          to="."
          search={(before) => ({ ...before, tab })}
          aria-current={tab === current ? "page" : undefined}
          className={`-mb-px border-b-2 py-2 text-text no-underline ${tab === current ? "border-accent font-semibold" : "border-transparent"}`}
        >
          {name}
          {count === undefined ? "" : ` (${count})`}
        </Link>
      ))}
    </nav>
  );
}
