import type { WorkloadRevision, WorkloadRevisionContent } from "@bowline/api";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";

import { yamlText } from "../../kube/yaml-text.ts";
import { failureIn } from "../../live/answers.ts";
import { request } from "../../live/request.ts";
import { DiffView } from "../../ui/code/diff-view.tsx";
import { Failed, Loading } from "../../ui/states.tsx";
import { shortRevision } from "./holds.ts";
import { revisionsPath, revisionText } from "./revision-choice.ts";

interface RevisionDiffProps {
  readonly definition: string;
  readonly from: WorkloadRevision;
  readonly to: WorkloadRevision;
}

/** The manifests of two revisions, and what is different in them. */
export function RevisionDiff({ definition, from, to }: RevisionDiffProps): ReactNode {
  const before = useRevisionText(definition, from.id, to.id);
  const after = useRevisionText(definition, to.id, from.id);
  const failure = failureIn(before.error ?? after.error);
  const label = `Difference from ${shortRevision(from.id)} to ${shortRevision(to.id)}`;
  return (
    <section aria-label={label} className="rounded-md border border-border">
      <header className="flex flex-wrap items-baseline gap-3 border-b border-border bg-surface px-3 py-2">
        <h2 className="text-lg">
          <code>{shortRevision(from.id)}</code> → <code>{shortRevision(to.id)}</code>
        </h2>
        <span className="text-muted">
          Before parameters are filled in. Values of Secrets are never shown; those that differ are marked.
        </span>
      </header>
      {failure !== undefined && <Failed failure={failure} />}
      {failure === undefined && (before.data === undefined || after.data === undefined) && (
        <Loading what="the manifests" />
      )}
      {before.data !== undefined && after.data !== undefined && (
        <>
          {before.data === after.data && <p className="px-3 py-1 text-muted">They say the same.</p>}
          <DiffView label={label} before={before.data} after={after.data} />
        </>
      )}
    </section>
  );
}

/** A revision never changes: what was read once is right for as long as the page lives. */
function useRevisionText(definition: string, id: string, against: string) {
  return useQuery({
    queryKey: ["revision", definition, id, against],
    queryFn: async ({ signal }) => {
      const path = revisionsPath(definition, id === against ? {} : { against }, id);
      return revisionText(await request<WorkloadRevisionContent>(path, { signal }), yamlText);
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
}
