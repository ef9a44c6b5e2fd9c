import type { WorkloadDiff } from "@bowline/api";
import type { ReactNode } from "react";

import { failureIn } from "../../live/answers.ts";
import { request } from "../../live/request.ts";
import { cleanText } from "../../text/clean-text.ts";
import { DiffSummary } from "./diff-summary.tsx";

/** An instance in one of its clusters. */
interface Place {
  readonly instance: string;
  readonly cluster: string;
}

/** What one cluster says, or why it says nothing. */
interface CheckResult extends Place {
  readonly diff?: WorkloadDiff;
  readonly problem?: string;
}

export interface CheckResults {
  readonly results: readonly CheckResult[];
  readonly notAsked: number;
}

/** No more than this are asked before something is written; the others are told of by their number. */
const maxAsked = 5;

/** Asks clusters by a dry run what would become of a workload with objects as they would be written. */
export async function checkClusters(
  places: readonly Place[],
  written: { readonly definition?: object; readonly instance?: object },
): Promise<CheckResults> {
  const asked = places.slice(0, maxAsked);
  const results = await Promise.all(
    asked.map(async ({ instance, cluster }): Promise<CheckResult> => {
      const path = `/api/v1/workloadinstances/${encodeURIComponent(instance)}/diff`;
      try {
        const diff = await request<WorkloadDiff>(path, { method: "POST", body: { cluster, ...written } });
        return { instance, cluster, diff };
      } catch (error) {
        return { instance, cluster, problem: failureIn(error)?.message ?? "It did not answer." };
      }
    }),
  );
  return { results, notAsked: places.length - asked.length };
}

/** What the server and the clusters say before anything is written. */
export function Checked({ results: { results, notAsked } }: { results: CheckResults }): ReactNode {
  return (
    <div role="status" className="space-y-2 rounded-md border border-border bg-surface p-3">
      <p className="font-semibold">The server takes it. Nothing is written yet.</p>
      {results.length === 0 && <p>It is in no cluster yet.</p>}
      <ul className="space-y-1">
        {results.map(({ instance, cluster, diff, problem }) => (
          <li key={`${instance} ${cluster}`}>
            <span className="font-semibold">
              {cleanText(instance)} in {cleanText(cluster)}
            </span>
            : {diff === undefined ? cleanText(problem ?? "") : <DiffSummary diff={diff} withRefusals />}
          </li>
        ))}
      </ul>
      {notAsked > 0 && <p className="text-muted">{notAsked} more clusters were not asked.</p>}
    </div>
  );
}
