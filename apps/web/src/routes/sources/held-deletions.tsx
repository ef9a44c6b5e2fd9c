import { ConfigSource } from "@bowline/api";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";

import { failureIn } from "../../live/answers.ts";
import { changeSpec } from "../../live/change-spec.ts";
import { cleanText } from "../../text/clean-text.ts";
import { PageLink } from "../../text/page-link.tsx";
import { Button } from "../../ui/button.tsx";
import { Failed } from "../../ui/states.tsx";
import { configObjectPath, shortCommit } from "../managed-by-git.tsx";

interface HeldDeletionsProps {
  readonly source: ConfigSource;
  /** Why one may not agree. */
  readonly off: string | undefined;
}

/** Deletions that wait for somebody's yes: what `bowline approve cs/NAME` does. */
export function HeldDeletions({ source, off }: HeldDeletionsProps): ReactNode {
  const { held } = source.status;
  const approve = useMutation({
    // To the commit that was looked at, and to none that came since.
    mutationFn: (commit: string) => changeSpec(ConfigSource, source, { approved: { commit } }),
  });
  if (held === undefined) return null;
  const { commit, deletions, total, objects } = held;
  const failure = failureIn(approve.error);
  const more = deletions - objects.length;
  const isAgreed = source.spec.approved?.commit === commit;
  return (
    <section aria-label="Held back" className="rounded-md border border-missing p-3 xl:col-span-2">
      <h2 className="text-lg">
        {deletions} of {total} objects wait to be deleted until somebody agrees
      </h2>
      <p>
        They are not in commit <code title={commit}>{shortCommit(commit)}</code> any more. Everything else of
        it is applied.
      </p>
      <ul aria-label="To be deleted" className="mt-1 list-disc pl-5">
        {objects.map(({ kind, name }) => (
          <li key={`${kind} ${name}`}>
            {kind}{" "}
            <PageLink path={configObjectPath(kind, name)} className="underline">
              {cleanText(name)}
            </PageLink>
          </li>
        ))}
      </ul>
      {more > 0 && <p className="text-muted">… and {more} more.</p>}
      {failure !== undefined && <Failed failure={failure} />}
      <p className="mt-2">
        {isAgreed ? (
          <span className="text-muted">
            {cleanText(source.status.approvedBy?.user ?? "Somebody", 80)} has agreed; they are deleted now.
          </span>
        ) : (
          <Button look="danger" off={off} disabled={approve.isPending} onClick={() => approve.mutate(commit)}>
            Approve the {deletions === 1 ? "deletion" : `${deletions} deletions`}
          </Button>
        )}
      </p>
    </section>
  );
}
