import type { EventRecord } from "@bowline/api";
import { useMemo, type ReactNode } from "react";

import { useEvents } from "../../live/live-events.ts";
import { useNowMs } from "../../live/now.ts";
import { cleanText } from "../../text/clean-text.ts";
import { ageOf, formatTime } from "../../text/time.ts";
import { isInTheWay, ListState } from "../../ui/list-state.tsx";

const maxShown = 20;

/** The last warnings about the cluster and from inside it, live. */
export function ClusterWarnings({ cluster }: { cluster: string }): ReactNode {
  const nowMs = useNowMs();
  const inside = useEvents({ cluster, type: "Warning" }, maxShown);
  const about = useEvents({ kind: "Cluster", name: cluster, type: "Warning" }, maxShown);
  const events = useMemo(
    () =>
      [...about.items.values(), ...inside.items.values()]
        .toSorted((a, b) => (a.lastSeenAt < b.lastSeenAt ? 1 : -1))
        .slice(0, maxShown),
    [about, inside],
  );
  const waiting = [inside, about].find(isInTheWay);
  if (waiting !== undefined) return <ListState list={waiting} what="the warnings" isPart />;
  if (events.length === 0) return <p className="text-muted">None in the last days.</p>;
  return (
    <ul className="space-y-1">
      {events.map((event) => (
        <li key={event.id} className="grid grid-cols-[4rem_minmax(0,1fr)] gap-2">
          <span className="text-muted" title={formatTime(Date.parse(event.lastSeenAt))}>
            {ageOf(event.lastSeenAt, nowMs)}
          </span>
          <span className="break-words">
            <span className="font-semibold">{cleanText(event.reason, 100)}</span>{" "}
            <span className="text-muted">{cleanText(subjectOf(event), 200)}</span>
            {event.count > 1 ? ` ×${event.count}` : ""} {cleanText(event.message, 300)}
          </span>
        </li>
      ))}
    </ul>
  );
}

function subjectOf({ regarding }: EventRecord): string {
  const { kind, name, namespace } = regarding;
  return kind === "Cluster" ? "" : `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
}
