import type { ReactNode } from "react";

import { cleanText } from "../text/clean-text.ts";
import { NotObserved, type Gap } from "./data-states.tsx";

export interface CoverageStripProps {
  /** Of where and when an answer is, and how much of it is missing: short sentences. */
  readonly notes: readonly string[];
  /** What was not observed. */
  readonly gaps: readonly Gap[];
  /** What there was no room for, in a picture; empty if there was. */
  readonly leftOut?: string;
  /** What can be done about it. */
  readonly children?: ReactNode;
}

/** Below every answer: what it does not tell, so that nobody takes a part for the whole. */
export function CoverageStrip({ notes, gaps, leftOut = "", children }: CoverageStripProps): ReactNode {
  return (
    <section aria-label="What the answer lacks" className="border-t border-border bg-surface text-xs">
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-1 text-muted">
        {[leftOut, ...notes]
          .filter((note) => note !== "")
          .map((note) => (
            <span key={note}>{cleanText(note, 500)}</span>
          ))}
        {gaps.length === 0 && <span>everything was observed</span>}
        {children}
      </p>
      <NotObserved gaps={gaps} />
    </section>
  );
}
