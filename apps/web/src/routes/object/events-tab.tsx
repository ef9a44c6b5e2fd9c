import type { EventRecord } from "@bowline/api";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";

import { listPath, type ObjectPlace } from "../../kube/places.ts";
import { tableLists, type TableRow } from "../../kube/tables.ts";
import { useLive } from "../../live/live-context.tsx";
import { request } from "../../live/request.ts";
import { cleanText } from "../../text/clean-text.ts";
import { Age } from "../../ui/age.tsx";
import { Empty, Loading } from "../../ui/states.tsx";
import { ListState } from "../../ui/list-state.tsx";
import type { ObjectTabProps } from "./tabs.ts";

/** What happened to an object: what its cluster still knows, and what Bowline has kept for longer. */
export function EventsTab({ place, object }: ObjectTabProps): ReactNode {
  const selector = `involvedObject.kind=${object.kind},involvedObject.name=${place.name}`;
  const events = { cluster: place.cluster, group: "", version: "v1", resource: "events" };
  const list = useLive(listPath(events, { namespace: place.namespace, fieldSelector: selector }), tableLists);
  const { items, phase } = list;
  const lines = [...items.values()].map(clusterLine).toSorted((a, b) => a.order - b.order);
  return (
    <div className="space-y-5 p-4">
      <ListState list={list} />
      {phase === "connecting" && <Loading what="the events" />}
      {phase === "live" && items.size === 0 && (
        <Empty>The cluster tells of no events; it forgets them after an hour or so.</Empty>
      )}
      {lines.length > 0 && <Lines title="In the cluster" lines={lines} />}
      <KeptEvents place={place} kind={object.kind} />
    </div>
  );
}

interface EventLine {
  readonly key: string;
  readonly when: ReactNode;
  readonly isWarning: boolean;
  readonly reason: string;
  readonly message: string;
}

function Lines({ title, lines }: { title: string; lines: readonly EventLine[] }): ReactNode {
  return (
    <section>
      <h2 className="mb-1 text-lg">{title}</h2>
      <ul aria-label={title} className="divide-y divide-border">
        {lines.map(({ key, when, isWarning, reason, message }) => (
          <li key={key} className="flex flex-wrap gap-x-3 py-1">
            <span className="w-14 shrink-0 text-right text-muted">{when}</span>
            <span className={`w-44 shrink-0 truncate font-semibold ${isWarning ? "text-degraded" : ""}`}>
              {isWarning && <span aria-hidden="true">▲ </span>}
              {cleanText(reason, 100)}
              {isWarning && <span className="sr-only"> (warning)</span>}
            </span>
            <span className="min-w-0 flex-1 wrap-anywhere">{cleanText(message, 1_000)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** A row of the server's table of events; the last to happen comes first. */
function clusterLine({ columns, cells, metadata }: TableRow): EventLine & { readonly order: number } {
  const cell = (name: string): string => {
    const value = cells[columns.findIndex((column) => column.name.toLowerCase() === name)];
    return typeof value === "string" ? value : "";
  };
  return {
    key: metadata.uid,
    when: cleanText(cell("last seen"), 20),
    isWarning: cell("type") === "Warning",
    reason: cell("reason"),
    message: cell("message"),
    order: -Date.parse(metadata.createdAt ?? ""),
  };
}

function KeptEvents({ place, kind }: { place: ObjectPlace; kind: string }): ReactNode {
  const { cluster, name } = place;
  const query = new URLSearchParams({ cluster, kind, name, limit: "50" });
  const { data } = useQuery({
    queryKey: ["events", query.toString()],
    queryFn: ({ signal }) =>
      request<{ readonly items: readonly EventRecord[] }>(`/api/v1/events?${query}`, { signal }),
    refetchInterval: 15_000,
  });
  const kept = (data?.items ?? []).filter(({ regarding }) => regarding.namespace === place.namespace);
  if (kept.length === 0) return null;
  const lines = kept.map(({ id, type, reason, message, count, lastSeenAt }) => ({
    key: id,
    when: <Age at={lastSeenAt} />,
    isWarning: type === "Warning",
    reason,
    message: count > 1 ? `${message} × ${count}` : message,
  }));
  return <Lines title="Kept by Bowline" lines={lines} />;
}
