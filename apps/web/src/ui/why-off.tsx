import type { ReactNode } from "react";

import { cleanText } from "../text/clean-text.ts";

/** What makes a control look switched off, and keeps it where keys can reach it. */
export function offProps(id: string, reason: string | undefined): OffProps {
  return reason === undefined ? {} : { "aria-disabled": true, "aria-describedby": id };
}

interface OffProps {
  readonly "aria-disabled"?: true;
  readonly "aria-describedby"?: string;
}

/**
 * Why a control is switched off. It stands behind the control, which is a `peer`, and is seen while that has the pointer
 * or the focus: at the lower edge of a narrow window, where there is no room beside it; to screen readers it is the
 * control's description.
 */
export function WhyOff({ id, reason }: { id: string; reason: string | undefined }): ReactNode {
  if (reason === undefined) return null;
  return (
    <span
      id={id}
      role="tooltip"
      className="absolute top-full right-0 z-10 mt-1 hidden w-72 rounded-sm border border-border bg-raised px-2 py-1 text-left text-sm font-normal text-text peer-hover:block peer-focus-visible:block max-sm:fixed max-sm:inset-x-4 max-sm:top-auto max-sm:bottom-4 max-sm:w-auto"
    >
      {cleanText(reason, 500)}
    </span>
  );
}
