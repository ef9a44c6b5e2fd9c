import type { ObjectDiff, WorkloadDiff } from "@bowline/api";
import type { ReactNode } from "react";

import { cleanText } from "../../text/clean-text.ts";

const words: Readonly<Record<ObjectDiff["change"], string>> = {
  created: "would be made",
  changed: "would change",
  deleted: "would be deleted",
  kept: "would stay, though not wanted",
  refused: "would be refused",
};

interface DiffSummaryProps {
  readonly diff: WorkloadDiff;
  /** Whether refusals are told in full. */
  readonly withRefusals?: boolean;
}

/** What would become of a workload in a cluster, in a sentence. */
export function DiffSummary({ diff, withRefusals = false }: DiffSummaryProps): ReactNode {
  const counts = [...Map.groupBy(diff.objects, ({ change }) => change)].map(
    ([change, objects]) => `${objects.length} ${words[change]}`,
  );
  const refused = diff.objects.filter(({ change }) => change === "refused");
  const all = [
    ...counts,
    ...(diff.unchangedCount > 0 ? [`${diff.unchangedCount} would stay as they are`] : []),
  ];
  return (
    <>
      {all.length === 0 ? "nothing would change" : all.join(", ")}
      {diff.held !== undefined && (
        <span className="text-missing">
          {" "}
          · deleting {diff.held.count} of {diff.held.total} would wait for approval
        </span>
      )}
      {withRefusals && refused.length > 0 && (
        <ul className="list-disc pl-5 text-degraded">
          {refused.slice(0, 20).map(({ kind, namespace = "", name, reason = "", message = "" }) => (
            <li key={`${kind}/${namespace}/${name}`}>
              {cleanText(`${kind} ${name}: ${reason} ${message}`, 500)}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
