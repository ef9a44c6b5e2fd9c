import type { ObjectDiff, WorkloadDiff, WorkloadInstance } from "@bowline/api";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, type ReactNode } from "react";

import { failureIn } from "../../live/answers.ts";
import { request } from "../../live/request.ts";
import { cleanText } from "../../text/clean-text.ts";
import { Button } from "../../ui/button.tsx";
import { Empty, Failed, Loading } from "../../ui/states.tsx";
import { DiffSummary } from "../workloads/diff-summary.tsx";

/** With what writes YAML: only who looks at differences needs it. */
const ObjectDiffView = lazy(async () => ({ default: (await import("./object-diff.tsx")).ObjectDiffView }));

/** Each asks its cluster about every object; those behind the first, which are in trouble, are asked by hand. */
const askedAtOnce = 5;

/** What would change in each cluster if the workload were applied now, as each says by a dry run. */
export function WorkloadDiffs({ instance }: { instance: WorkloadInstance }): ReactNode {
  const { clusters } = instance.status;
  if (clusters.length === 0)
    return <Empty>It is placed in no cluster, so there is nothing to compare.</Empty>;
  return (
    <div className="space-y-4 p-4">
      <p className="text-muted">
        Asked of each cluster by a dry run, in your name and with your grants. Values of Secrets are never
        shown.
      </p>
      {clusters.map(({ cluster }, index) => (
        <ClusterDiff
          key={cluster}
          name={instance.metadata.name}
          cluster={cluster}
          isAsked={index < askedAtOnce}
        />
      ))}
    </div>
  );
}

interface ClusterDiffProps {
  readonly name: string;
  readonly cluster: string;
  /** Without anybody's doing. */
  readonly isAsked: boolean;
}

function ClusterDiff({ name, cluster, isAsked }: ClusterDiffProps): ReactNode {
  const { data, error, refetch, isFetching } = useQuery({
    queryKey: ["diff", name, cluster],
    queryFn: ({ signal }) =>
      request<WorkloadDiff>(`/api/v1/workloadinstances/${encodeURIComponent(name)}/diff`, {
        method: "POST",
        body: { cluster },
        signal,
      }),
    staleTime: 10_000,
    enabled: isAsked,
  });
  const failure = failureIn(error);
  return (
    <section aria-label={`Difference in ${cluster}`} className="rounded-md border border-border">
      <header className="flex flex-wrap items-baseline gap-3 border-b border-border bg-surface px-3 py-2">
        <h2 className="text-lg">{cleanText(cluster)}</h2>
        {data !== undefined && (
          <span>
            <DiffSummary diff={data} />
          </span>
        )}
        <span className="ml-auto">
          <Button look="link" disabled={isFetching} onClick={() => void refetch()}>
            {isFetching ? "Asking…" : data === undefined ? "Ask" : "Ask again"}
          </Button>
        </span>
      </header>
      {failure !== undefined && <Failed failure={failure} />}
      {isFetching && data === undefined && <Loading what={`the answer of ${cluster}`} />}
      {data?.objects.map((object) => (
        <OneObject key={labelOf(object)} object={object} />
      ))}
    </section>
  );
}

function OneObject({ object }: { object: ObjectDiff }): ReactNode {
  const { change, reason, message, before, after } = object;
  return (
    <details
      open={change === "changed" || change === "refused"}
      className="border-b border-border px-3 py-1 last:border-b-0"
    >
      <summary className="cursor-pointer">
        <span className="font-semibold">{change}</span>{" "}
        <span className="font-mono">{cleanText(labelOf(object), 300)}</span>
        {reason !== undefined && <span className="ml-2 text-muted">{cleanText(reason, 100)}</span>}
      </summary>
      {message !== undefined && <p className="wrap-anywhere">{cleanText(message, 1_024)}</p>}
      {(before !== undefined || after !== undefined) && (
        <Suspense fallback={<Loading what="the difference" />}>
          <ObjectDiffView before={before} after={after} />
        </Suspense>
      )}
    </details>
  );
}

function labelOf({ kind, namespace, name }: ObjectDiff): string {
  return namespace === undefined ? `${kind} ${name}` : `${kind} ${namespace}/${name}`;
}
