import { Cluster, formatAge, type EventRecord } from "@bowline/api";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useId, useMemo, type ReactNode } from "react";

import { useObjects } from "../../live/live-context.tsx";
import { maxEvents, useEvents } from "../../live/live-events.ts";
import { cleanText } from "../../text/clean-text.ts";
import { Button } from "../../ui/button.tsx";
import { ListExport } from "../../ui/list-export.tsx";
import { LiveTable } from "../../ui/live-table.tsx";
import { ListState } from "../../ui/list-state.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { Empty } from "../../ui/states.tsx";
import type { TableColumn } from "../../ui/table-rows.ts";
import { FilterField } from "../../ui/text-field.tsx";
import { EventType } from "./event-lines.tsx";
import { eventSearch, spans, type EventSearch } from "./event-search.ts";
import { EventSubject } from "./event-subject.tsx";
import { Histogram } from "./histogram-view.tsx";

const columns: TableColumn<EventRecord>[] = [
  {
    header: "LAST SEEN",
    text: ({ lastSeenAt }, nowMs) => formatAge(nowMs - Date.parse(lastSeenAt)),
    sortKey: ({ lastSeenAt }) => -Date.parse(lastSeenAt),
    width: "6rem",
  },
  { header: "TYPE", text: ({ type }) => type, cell: ({ type }) => <EventType type={type} />, width: "6rem" },
  { header: "REASON", text: ({ reason }) => reason, width: "minmax(8rem, 1fr)" },
  {
    header: "OBJECT",
    text: ({ regarding }) => `${regarding.kind} ${regarding.namespace ?? ""}/${regarding.name}`,
    cell: (event) => <EventSubject event={event} />,
    width: "minmax(12rem, 2fr)",
  },
  { header: "CLUSTER", text: ({ regarding }) => regarding.cluster ?? "", width: "minmax(6rem, 1fr)" },
  { header: "WORKLOAD", text: ({ instance }) => instance ?? "", width: "minmax(6rem, 1fr)" },
  {
    header: "COUNT",
    text: ({ count }) => String(count),
    sortKey: ({ count }) => count,
    isNumber: true,
    width: "5rem",
  },
  { header: "MESSAGE", text: ({ message }) => message, width: "minmax(16rem, 4fr)" },
];

/** What happened, as it happens. */
export function Events(): ReactNode {
  const search = useSearch({ from: "/_in/events" });
  const { q = "", sort, desc, span = "1h", ...filters } = search;
  const navigate = useNavigate();
  const events = useEvents(filters);
  const order = useMemo(
    () => (sort === undefined ? undefined : { header: sort, descending: desc === true }),
    [sort, desc],
  );
  const { items, phase, failure, total } = events;
  const setList = (changed: { q?: string; sort?: string; desc?: boolean }): void =>
    void navigate({ to: "/events", search: (before) => ({ ...before, ...changed }), replace: true });
  const set = (changed: ChangedFilters): void =>
    void navigate({
      to: "/events",
      search: ({ q: words, sort: by, desc: isDown, ...before }) => ({
        ...(words === undefined ? {} : { q: words }),
        ...(by === undefined ? {} : { sort: by }),
        ...(isDown === undefined ? {} : { desc: isDown }),
        ...eventSearch({ ...before, ...changed }),
      }),
      replace: true,
    });
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <>
      <PageHead title="Events">
        <FilterField
          value={q}
          onChange={(value) => setList({ q: value })}
          count={
            total !== undefined && total > items.size
              ? `newest ${items.size} of ${total.toLocaleString("en")}`
              : `${items.size}`
          }
        />
        <Filters search={search} onChange={set} />
        {isFiltered && (
          <Button
            look="link"
            onClick={() =>
              set({
                type: undefined,
                reason: undefined,
                cluster: undefined,
                kind: undefined,
                name: undefined,
                instance: undefined,
              })
            }
          >
            Clear filters
          </Button>
        )}
        <span className="ml-auto">
          <ListExport name="events" kind="events" items={items} columns={columns} filter={q} sort={order} />
        </span>
      </PageHead>
      <ListState list={events} what="the events" />
      {phase !== "connecting" && failure === undefined && (
        <Histogram events={items} spanMs={spans[span]} span={span} />
      )}
      {phase === "live" && items.size === 0 && (
        <Empty>
          {isFiltered ? "Nothing that these filters leave has happened." : "Nothing has happened yet."} Events
          are kept for seven days, and at most {maxEvents.toLocaleString("en")} are shown.
        </Empty>
      )}
      {items.size > 0 && (
        <LiveTable
          label="Events"
          kind="events"
          list={events}
          columns={columns}
          filter={q}
          onFilter={(value) => setList({ q: value })}
          sort={order}
          onSort={({ header, descending }) => setList({ sort: header, desc: descending })}
          onOpen={({ regarding, instance }) =>
            set({
              kind: regarding.kind,
              name: regarding.name,
              cluster: regarding.cluster,
              ...(instance === undefined ? {} : { instance }),
            })
          }
        />
      )}
    </>
  );
}

/** Undefined takes a filter away. */
type ChangedFilters = { readonly [Name in keyof EventSearch]?: string | undefined };

interface FiltersProps {
  readonly search: EventSearch;
  readonly onChange: (changed: ChangedFilters) => void;
}

function Filters({ search, onChange }: FiltersProps): ReactNode {
  const { items } = useObjects(Cluster);
  const clusters = [...items.values()].map(({ metadata }) => metadata.name).toSorted();
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Choice
        label="Type"
        value={search.type ?? ""}
        options={["Normal", "Warning"]}
        onChange={(type) => onChange({ type })}
      />
      <Choice
        label="Cluster"
        value={search.cluster ?? ""}
        options={clusters}
        onChange={(cluster) => onChange({ cluster })}
      />
      <Word label="Reason" value={search.reason ?? ""} onChange={(reason) => onChange({ reason })} />
      <Word label="Kind" value={search.kind ?? ""} onChange={(kind) => onChange({ kind })} />
      <Word label="Name" value={search.name ?? ""} onChange={(name) => onChange({ name })} />
      <Choice
        label="Bars over"
        value={search.span ?? "1h"}
        options={Object.keys(spans)}
        isRequired
        onChange={(span) => onChange({ span })}
      />
    </div>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly string[];
  readonly isRequired?: boolean;
  readonly onChange: (value: string | undefined) => void;
}

function Choice({ label, value, options, isRequired = false, onChange }: ChoiceProps): ReactNode {
  const id = useId();
  return (
    <span className="flex items-center gap-1">
      <label htmlFor={id} className="text-xs text-muted">
        {label}
      </label>
      <select
        id={id}
        value={value}
        className="max-w-40 rounded-sm border border-control bg-bg px-1 py-1"
        onChange={({ target }) => onChange(target.value === "" ? undefined : target.value)}
      >
        {!isRequired && <option value="">any</option>}
        {options.map((option) => (
          <option key={option} value={option}>
            {cleanText(option, 63)}
          </option>
        ))}
        {value !== "" && !options.includes(value) && <option value={value}>{cleanText(value, 63)}</option>}
      </select>
    </span>
  );
}

/** Asked for when it is done: each letter would be a question of its own. */
function Word({ label, value, onChange }: Omit<ChoiceProps, "options" | "isRequired">): ReactNode {
  const id = useId();
  return (
    <span className="flex items-center gap-1">
      <label htmlFor={id} className="text-xs text-muted">
        {label}
      </label>
      <input
        id={id}
        key={value}
        defaultValue={value}
        className="w-24 rounded-sm border border-control bg-bg px-1 py-1"
        onBlur={({ target }) => onChange(target.value === "" ? undefined : target.value)}
        onKeyDown={({ key, currentTarget }) => {
          if (key === "Enter") currentTarget.blur();
        }}
      />
    </span>
  );
}
