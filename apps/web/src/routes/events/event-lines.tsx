import type { EventFilters, EventRecord } from "@bowline/api";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

import { useEvents } from "../../live/live-events.ts";
import { cleanText } from "../../text/clean-text.ts";
import { Age } from "../../ui/age.tsx";
import { isInTheWay, ListState } from "../../ui/list-state.tsx";
import { Empty } from "../../ui/states.tsx";
import { EventSubject } from "./event-subject.tsx";

interface EventLinesProps {
  readonly filters: EventFilters;
  readonly limit?: number;
  /** What to say when there is none. */
  readonly empty: string;
}

/** The newest events, live, as a short list. */
export function EventLines({ filters, limit = 200, empty }: EventLinesProps): ReactNode {
  const events = useEvents(filters, limit);
  const { items } = events;
  if (isInTheWay(events)) return <ListState list={events} what="the events" isPart />;
  if (items.size === 0) return <Empty>{empty}</Empty>;
  return (
    <ul aria-label="Events" className="divide-y divide-border">
      {[...items.values()].map((event) => (
        <EventLine key={event.id} event={event} />
      ))}
    </ul>
  );
}

function EventLine({ event }: { event: EventRecord }): ReactNode {
  const { type, reason, message, count, lastSeenAt, instance } = event;
  return (
    <li className="flex flex-wrap items-baseline gap-x-2 py-1">
      <EventType type={type} />
      <span className="font-semibold">{cleanText(reason, 100)}</span>
      {count > 1 && <span className="text-muted">× {count.toLocaleString("en")}</span>}
      <EventSubject event={event} />
      {instance !== undefined && (
        <Link to="/workloads/$name" params={{ name: instance }}>
          {cleanText(instance)}
        </Link>
      )}
      <span className="ml-auto text-xs text-muted">
        <Age at={lastSeenAt} /> ago
      </span>
      <span className="basis-full text-muted wrap-anywhere">{cleanText(message, 400)}</span>
    </li>
  );
}

/** Warnings by shape and word; what is normal needs neither. */
export function EventType({ type }: { type: EventRecord["type"] }): ReactNode {
  if (type === "Normal") return <span className="text-muted">Normal</span>;
  return (
    <span className="whitespace-nowrap text-missing">
      <span aria-hidden="true">▲ </span>Warning
    </span>
  );
}
