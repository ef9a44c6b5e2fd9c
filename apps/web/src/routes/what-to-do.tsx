import type { ReactNode } from "react";

import { cleanText } from "../text/clean-text.ts";

interface WhatToDoProps {
  /** Names it for those who cannot see it. */
  readonly label: string;
  /** As the condition has it; empty where there is nothing to tell. */
  readonly reason: string;
  readonly message: string;
  readonly adviceFor: (reason: string) => string | undefined;
}

/** Why an object is not as it should be, in words, and what to do about it. */
export function WhatToDo({ label, reason, message, adviceFor }: WhatToDoProps): ReactNode {
  if (reason === "") return null;
  const advice = adviceFor(reason);
  return (
    <section aria-label={label} className="border-b border-border bg-surface px-4 py-2">
      <p className="wrap-anywhere">
        <span className="mr-2 font-semibold">{cleanText(reason, 128)}</span>
        {cleanText(message, 4_096)}
      </p>
      {advice !== undefined && <p className="mt-1 text-muted">What to do: {advice}</p>}
    </section>
  );
}
