import type {
  WorkloadInstance,
  WorkloadPlacement,
  WorkloadRevision,
  WorkloadRevisionList,
} from "@bowline/api";
import { useInfiniteQuery } from "@tanstack/react-query";
import { lazy, Suspense, useState, type ReactNode } from "react";

import { failureIn } from "../../live/answers.ts";
import { request } from "../../live/request.ts";
import { cleanText } from "../../text/clean-text.ts";
import { Age } from "../../ui/age.tsx";
import { Button } from "../../ui/button.tsx";
import { Empty, Failed, Loading } from "../../ui/states.tsx";
import { shortRevision } from "./holds.ts";
import { comparedRevisions, revisionsPath } from "./revision-choice.ts";

/** With the editor in which differences are shown: only who compares two needs it. */
const RevisionDiff = lazy(async () => ({ default: (await import("./revision-diff.tsx")).RevisionDiff }));

interface RevisionsProps {
  readonly instance: WorkloadInstance;
  /** The id of what the definition says now. */
  readonly current: string | undefined;
  readonly placements: readonly WorkloadPlacement[];
}

/** What the definition of a workload said, in which clusters it is, and the difference of two of them. */
export function Revisions({ instance, current, placements }: RevisionsProps): ReactNode {
  const { definition } = instance.spec;
  const { name } = instance.metadata;
  const applied = placements.map(({ status }) => status.revision ?? "").join(" ");
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetching } = useInfiniteQuery({
    // What is current, and what is applied where, comes by the stream: with it the list is asked for again.
    queryKey: ["revisions", definition, name, current, applied],
    queryFn: ({ pageParam, signal }) =>
      request<WorkloadRevisionList>(
        revisionsPath(definition, { instance: name, ...(pageParam === "" ? {} : { cursor: pageParam }) }),
        { signal },
      ),
    initialPageParam: "",
    getNextPageParam: ({ metadata }) => metadata.cursor,
    placeholderData: (before) => before,
  });
  const [chosen, setChosen] = useState<{ readonly from?: string; readonly to?: string }>({});
  const failure = failureIn(error);
  if (failure !== undefined && data === undefined) {
    return <Failed failure={failure} onRetry={() => void refetch()} />;
  }
  if (data === undefined) return <Loading what="the revisions" />;
  const items = data.pages.flatMap((page) => page.items);
  if (items.length === 0) return <Empty>The definition was not resolved to a revision yet.</Empty>;
  const { from, to } = comparedRevisions(items, chosen);
  return (
    <div className="space-y-4 p-4">
      <RevisionTable
        instance={instance}
        items={items}
        from={from?.id}
        to={to?.id}
        onChoose={(choice) => setChosen({ ...chosen, ...choice })}
      />
      {hasNextPage && (
        <Button look="link" disabled={isFetching} onClick={() => void fetchNextPage()}>
          Older ones
        </Button>
      )}
      <InClusters placements={placements} />
      {from === undefined || to === undefined ? (
        <p className="text-muted">There is one revision only, so there is nothing to compare.</p>
      ) : (
        <Suspense fallback={<Loading what="the difference" />}>
          <RevisionDiff definition={definition} from={from} to={to} />
        </Suspense>
      )}
    </div>
  );
}

interface RevisionTableProps {
  readonly instance: WorkloadInstance;
  readonly items: readonly WorkloadRevision[];
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly onChoose: (choice: { readonly from: string } | { readonly to: string }) => void;
}

const heads = [
  "From",
  "To",
  "Revision",
  "Resolved",
  "Commit",
  "Signer",
  "Author",
  "Approved by",
  "Objects",
  "Clusters",
];

function RevisionTable({ instance, items, from, to, onChoose }: RevisionTableProps): ReactNode {
  return (
    <table aria-label="Revisions" className="w-full text-left">
      <thead>
        <tr className="text-xs text-muted">
          {heads.map((head) => (
            <th key={head} className="py-1 pr-3 font-semibold">
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {items.map(({ id, resolvedAt, commit, signer, author, objects, clusters, current }) => (
          <tr key={id} className="border-t border-border">
            <Choice name="from" id={id} isChosen={id === from} onChoose={() => onChoose({ from: id })} />
            <Choice name="to" id={id} isChosen={id === to} onChoose={() => onChoose({ to: id })} />
            <td className="py-1 pr-3 font-mono" title={id}>
              {shortRevision(id)}
              {current && <span className="ml-2 font-sans font-semibold">current</span>}
            </td>
            <td className="py-1 pr-3">
              <Age at={resolvedAt} /> ago
            </td>
            <td className="py-1 pr-3 font-mono" title={commit}>
              {commit === undefined ? "–" : cleanText(commit.slice(0, 12))}
            </td>
            <td className="py-1 pr-3 wrap-anywhere">{signer === undefined ? "–" : cleanText(signer, 500)}</td>
            <td className="py-1 pr-3">{author === undefined ? "–" : cleanText(author, 80)}</td>
            <td className="py-1 pr-3">{approverOf(instance, id)}</td>
            <td className="py-1 pr-3">{objects}</td>
            <td className="py-1 pr-3">{clusters}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Only what somebody has agreed to last is kept. */
function approverOf({ spec, status }: WorkloadInstance, revision: string): string {
  const { user } = status.approvedBy ?? {};
  return user === undefined || spec.approved?.revision !== revision ? "–" : cleanText(user, 80);
}

interface ChoiceProps {
  readonly name: "from" | "to";
  readonly id: string;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}

function Choice({ name, id, isChosen, onChoose }: ChoiceProps): ReactNode {
  return (
    <td className="py-1 pr-3">
      <input
        type="radio"
        name={`revision-${name}`}
        aria-label={`Compare ${name} ${shortRevision(id)}`}
        className="size-6"
        checked={isChosen}
        onChange={onChoose}
      />
    </td>
  );
}

/** Which revision each cluster has, and which it should have. */
function InClusters({ placements }: Pick<RevisionsProps, "placements">): ReactNode {
  if (placements.length === 0) return null;
  return (
    <table aria-label="Revisions in clusters" className="w-full text-left">
      <thead>
        <tr className="text-xs text-muted">
          <th className="py-1 pr-3 font-semibold">Cluster</th>
          <th className="py-1 pr-3 font-semibold">Applied</th>
          <th className="py-1 font-semibold">Wanted there</th>
        </tr>
      </thead>
      <tbody>
        {placements.map(({ metadata: { id }, spec, status: { revision: has } }) => (
          <tr key={id} className="border-t border-border">
            <td className="py-1 pr-3">{cleanText(spec.cluster)}</td>
            <td className="py-1 pr-3 font-mono">{shortRevision(has)}</td>
            <td className="py-1 font-mono">
              {has === spec.revision ? (
                <span className="font-sans text-muted">the same</span>
              ) : (
                shortRevision(spec.revision)
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
