import { formatAge, type ClusterPlan } from "@bowline/api";
import { useEffect, useId, useRef, type ReactNode } from "react";

import { cleanText } from "../../text/clean-text.ts";
import { costWords } from "../../text/cost-words.ts";

/** What would be made, in order, what it costs and how long it takes: nothing of it is there yet. */
export function PlanView({ plan }: { plan: ClusterPlan }): ReactNode {
  const { steps, hourlyCost, expectedSeconds } = plan;
  const id = useId();
  const section = useRef<HTMLElement>(null);
  // What was asked for is below the fields: it comes into view, and is read from its beginning.
  useEffect(() => section.current?.focus(), []);
  // Two steps may have the same words.
  const numbered = steps.map((text, index) => ({ number: index + 1, text: cleanText(text, 1_024) }));
  return (
    <section
      aria-labelledby={id}
      // Below it are the buttons, which stay where they are.
      className="scroll-mb-16 rounded-md border border-border bg-surface p-3"
      tabIndex={-1}
      ref={section}
    >
      <h3 id={id} className="mb-1 font-semibold">
        What would be made
      </h3>
      {steps.length === 0 ? (
        <p className="text-muted">The provider does not say in which steps.</p>
      ) : (
        <ol aria-label="Steps" className="max-h-60 list-decimal overflow-auto pl-6">
          {numbered.map(({ number, text }) => (
            <li key={number} className="wrap-anywhere">
              {text}
            </li>
          ))}
        </ol>
      )}
      <dl className="mt-2 grid grid-cols-[7rem_minmax(0,1fr)] gap-y-1">
        <dt className="text-muted">Costs about</dt>
        <dd className="wrap-anywhere">
          {hourlyCost === undefined
            ? "nobody knows: the provider does not say"
            : costWords(cleanText(hourlyCost, 63))}
        </dd>
        <dt className="text-muted">Usually takes</dt>
        <dd>{expectedSeconds === undefined ? "nobody knows" : formatAge(expectedSeconds * 1_000)}</dd>
      </dl>
    </section>
  );
}
