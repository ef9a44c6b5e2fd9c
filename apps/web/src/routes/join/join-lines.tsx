import { Cluster, type EventRecord } from "@bowline/api";
import { useEffect, useMemo, type ReactNode } from "react";

import { useEvents } from "../../live/live-events.ts";
import { useObjects } from "../../live/live-context.tsx";
import { cleanText } from "../../text/clean-text.ts";
import { HealthMark, type HealthName } from "../../ui/health-mark.tsx";
import { clusterNumbers } from "../clusters/cluster-numbers.ts";
import { useAgentSessions, useClusterAccess, useClusterViews } from "../clusters/cluster-queries.ts";
import { joinSteps, refusalsIn, type JoinStep } from "./join-steps.ts";

/** What the server tells of a cluster on its way, as it happens. */
export function useJoinSteps(name: string): { steps: JoinStep[]; events: ReadonlyMap<string, EventRecord> } {
  const clusters = useObjects(Cluster);
  const views = useClusterViews();
  const { items: events } = useEvents({ kind: "Cluster", name }, 100);
  const { data, refetch } = useAgentSessions(name);
  const { data: access } = useClusterAccess(name, 5_000);
  const hasAccess = access === undefined ? undefined : access.grants.length > 0;
  const cluster = useMemo(
    () => [...clusters.items.values()].find(({ metadata }) => metadata.name === name),
    [clusters, name],
  );
  const connectedSince = cluster?.status.agent?.connectedSince;
  // The stream says when there is something to ask for.
  useEffect(() => {
    if (connectedSince !== undefined) void refetch();
  }, [connectedSince, refetch]);
  const steps = useMemo(() => {
    const numbers = clusterNumbers(views.items, name);
    return joinSteps({ cluster, events: events.values(), sessions: data?.items ?? [], numbers, hasAccess });
  }, [cluster, views, events, data, hasAccess, name]);
  return { steps, events };
}

const marks: Readonly<Record<JoinStep["state"], HealthName>> = {
  done: "Healthy",
  now: "Progressing",
  later: "Missing",
};
const words: Readonly<Record<JoinStep["state"], string>> = { done: "done", now: "waiting", later: "not yet" };

/** Four lines that light up one after the other. */
export function JoinLines({ steps }: { steps: readonly JoinStep[] }): ReactNode {
  return (
    <ol aria-label="On its way" className="space-y-2">
      {steps.map(({ title, state, detail }) => (
        <li key={title} className={`flex gap-2 ${state === "later" ? "text-muted" : ""}`}>
          <span className="mt-0.5 self-start">
            <HealthMark health={marks[state]} word={false} />
          </span>
          <span>
            <span className="font-semibold">{title}</span>
            <span className="sr-only">, {words[state]}</span>
            {detail !== "" && (
              <span className="block text-xs break-all text-muted">{cleanText(detail, 300)}</span>
            )}
          </span>
        </li>
      ))}
    </ol>
  );
}

/** Why agents were refused since then: sentences of the server. */
export function JoinRefusals({
  events,
  sinceMs,
}: {
  events: readonly EventRecord[];
  sinceMs: number;
}): ReactNode {
  const refusals = refusalsIn(events, sinceMs);
  if (refusals.length === 0) return null;
  return (
    <ul aria-label="Refused" role="alert" className="mt-3 space-y-2">
      {refusals.map(({ id, message, count }) => (
        <li key={id} className="rounded-sm border border-degraded p-2">
          <span className="font-semibold text-degraded">
            An agent was refused{count > 1 ? `, ${count} times` : ""}.
          </span>{" "}
          {cleanText(message, 500)}
        </li>
      ))}
    </ul>
  );
}
