import { Link } from "@tanstack/react-router";
import { useMemo, type ReactNode } from "react";

import { useEvents } from "../../live/live-events.ts";
import { useNowMs } from "../../live/now.ts";
import { cleanText } from "../../text/clean-text.ts";
import { Age } from "../../ui/age.tsx";
import { isInTheWay, ListState } from "../../ui/list-state.tsx";
import { Empty } from "../../ui/states.tsx";
import { recentChanges, type RecentChange } from "../events/recent-changes.ts";

const hourMs = 3_600_000;
const shown = 20;
const readAtMost = 300;
const all = {};

/** What happened in the last hour, a line for each workload and cluster. */
export function RecentChanges(): ReactNode {
  const events = useEvents(all, readAtMost);
  const minute = Math.floor(useNowMs() / 60_000);
  const changes = useMemo(
    () => recentChanges(events.items.values(), minute * 60_000 - hourMs),
    [events, minute],
  );
  if (isInTheWay(events)) return <ListState list={events} what="the changes" isPart />;
  if (changes.length === 0) return <Empty>Nothing has changed.</Empty>;
  return (
    <>
      <ul aria-label="Changed in the last hour" className="divide-y divide-border">
        {changes.slice(0, shown).map((change) => (
          <ChangeLine key={change.key} change={change} />
        ))}
      </ul>
      {changes.length > shown && <p className="py-1 text-muted">and {changes.length - shown} more</p>}
      {events.items.size === readAtMost && (
        <p className="py-1 text-muted">Of the newest {readAtMost} events; there were more.</p>
      )}
    </>
  );
}

function ChangeLine({ change }: { change: RecentChange }): ReactNode {
  const { subject, cluster, reasons, hasWarning, lastSeenAt } = change;
  const isWorkload = subject.kind === "WorkloadInstance";
  return (
    <li className="flex flex-wrap items-baseline gap-x-2 py-1">
      {hasWarning && (
        <span className="text-missing">
          <span aria-hidden="true">▲</span>
          <span className="sr-only">with warnings:</span>
        </span>
      )}
      {isWorkload ? (
        <Link to="/workloads/$name" params={{ name: subject.name }} search={{ tab: "events" }}>
          {cleanText(subject.name, 100)}
        </Link>
      ) : (
        <Link to="/events" search={{ kind: subject.kind, name: subject.name }}>
          {cleanText(`${subject.kind} ${subject.name}`, 150)}
        </Link>
      )}
      {cluster !== undefined && <span>in {cleanText(cluster)}</span>}
      <span className="text-muted wrap-anywhere">
        {reasons
          .map(({ reason, count }) =>
            count > 1 ? `${cleanText(reason, 60)} × ${count}` : cleanText(reason, 60),
          )
          .join(", ")}
      </span>
      <span className="ml-auto text-xs text-muted">
        <Age at={lastSeenAt} /> ago
      </span>
    </li>
  );
}
