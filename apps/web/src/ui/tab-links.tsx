import { Link } from "@tanstack/react-router";
import { useId, type ReactNode } from "react";

import { offProps, WhyOff } from "./why-off.tsx";

export interface TabLink {
  /** As the address has it; empty for the first. */
  readonly tab: string;
  readonly name: string;
  readonly count?: number;
  /** Why it cannot be gone to. */
  readonly off?: string | undefined;
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
      {tabs.map(({ tab, name, count, off }) =>
        off === undefined ? (
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
        ) : (
          <OffTab key={tab} name={name} reason={off} isCurrent={tab === current} />
        ),
      )}
    </nav>
  );
}

interface OffTabProps {
  readonly name: string;
  readonly reason: string;
  /** Somebody has come by its address all the same. */
  readonly isCurrent: boolean;
}

/** A link that leads nowhere, and says why. */
function OffTab({ name, reason, isCurrent }: OffTabProps): ReactNode {
  const id = useId();
  return (
    <span className="relative -mb-px inline-block">
      {/* oxlint-disable-next-line no-noninteractive-tabindex -- its reason is read by who has no mouse, too */}
      <span
        role="link"
        tabIndex={0}
        {...offProps(id, reason)}
        aria-current={isCurrent ? "page" : undefined}
        className={`peer inline-block cursor-not-allowed border-b-2 py-2 text-muted opacity-60 ${isCurrent ? "border-accent font-semibold" : "border-transparent"}`}
      >
        {name}
      </span>
      <WhyOff id={id} reason={reason} />
    </span>
  );
}
