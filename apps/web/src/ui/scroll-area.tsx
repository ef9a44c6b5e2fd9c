import type { ReactNode } from "react";

interface ScrollAreaProps {
  /** Names it for those who cannot see it. */
  readonly label: string;
  readonly className?: string;
  readonly children: ReactNode;
}

/** What is scrolled below the head of a screen: by keys too, where nothing in it can have the focus. */
export function ScrollArea({ label, className = "", children }: ScrollAreaProps): ReactNode {
  return (
    // oxlint-disable-next-line no-noninteractive-tabindex -- it takes the keys that scroll
    <div role="region" aria-label={label} tabIndex={0} className={`overflow-auto ${className}`}>
      {children}
    </div>
  );
}
