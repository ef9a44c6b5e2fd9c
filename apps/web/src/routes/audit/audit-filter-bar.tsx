import { Cluster } from "@bowline/api";
import { useState, type FormEvent, type ReactNode } from "react";

import { useObjects } from "../../live/live-context.tsx";
import { cleanText } from "../../text/clean-text.ts";
import { formatTime } from "../../text/time.ts";
import { Button } from "../../ui/button.tsx";
import {
  filterChoices,
  filterNames,
  filterWords,
  withFilter,
  type AuditSearch,
  type FilterName,
} from "./audit-search.ts";

export interface AuditFilterBarProps {
  readonly search: AuditSearch;
  readonly onChange: (search: AuditSearch) => void;
}

const spans = [
  { name: "Last hour", ms: 3_600_000 },
  { name: "Last day", ms: 86_400_000 },
  { name: "Last week", ms: 7 * 86_400_000 },
] as const;
const typed = filterNames.filter((name) => name !== "since" && name !== "until");
const fieldClass = "rounded-sm border border-control bg-bg px-2 py-1";

/** The filters that are set, each a chip, and a way to set another. */
export function AuditFilterBar({ search, onChange }: AuditFilterBarProps): ReactNode {
  const clusters = useObjects(Cluster);
  const [name, setName] = useState<FilterName>("cluster");
  const [value, setValue] = useState("");
  const choices = filterChoices[name];
  const add = (event: FormEvent): void => {
    event.preventDefault();
    if (value.trim() === "") return;
    onChange(withFilter(search, name, value.trim()));
    setValue("");
  };
  return (
    <div className="flex flex-wrap items-center gap-2 border-b border-border px-4 py-2">
      <ul aria-label="Filters" className="flex flex-wrap gap-2 empty:hidden">
        {filterNames.map((filter) => {
          const set = search[filter];
          return set === undefined ? null : (
            <li key={filter} className="flex items-center gap-1 rounded-sm bg-surface pl-2">
              <span className="text-muted">{filterWords[filter]}</span>
              <span className="font-mono">{cleanText(chipText(filter, set), 100)}</span>
              <button
                type="button"
                aria-label={`Without ${filterWords[filter]}`}
                className="size-6"
                onClick={() => onChange(withFilter(search, filter, undefined))}
              >
                ×
              </button>
            </li>
          );
        })}
      </ul>
      <form className="flex flex-wrap items-center gap-2" onSubmit={add}>
        <select
          aria-label="Filter by"
          value={name}
          className={fieldClass}
          onChange={(event) => {
            setName(typed.find((filter) => filter === event.target.value) ?? "cluster");
            setValue("");
          }}
        >
          {typed.map((filter) => (
            <option key={filter} value={filter}>
              {filterWords[filter]}
            </option>
          ))}
        </select>
        {choices === undefined ? (
          <input
            aria-label={filterWords[name]}
            list={name === "cluster" ? "audit-clusters" : undefined}
            value={value}
            spellCheck={false}
            autoComplete="off"
            className={`${fieldClass} font-mono`}
            onChange={(event) => setValue(event.target.value)}
          />
        ) : (
          <select
            aria-label={filterWords[name]}
            value={value}
            className={fieldClass}
            onChange={(event) => setValue(event.target.value)}
          >
            <option value="">Choose</option>
            {choices.map((choice) => (
              <option key={choice}>{choice}</option>
            ))}
          </select>
        )}
        <datalist id="audit-clusters">
          {[...clusters.items.values()].map(({ metadata }) => (
            <option key={metadata.id}>{metadata.name}</option>
          ))}
        </datalist>
        <Button submits disabled={value.trim() === ""}>
          Add filter
        </Button>
      </form>
      <span className="flex gap-3">
        {spans.map((span) => (
          <Button
            key={span.name}
            look="link"
            onClick={() =>
              onChange(withFilter(search, "since", new Date(Date.now() - span.ms).toISOString()))
            }
          >
            {span.name}
          </Button>
        ))}
      </span>
    </div>
  );
}

function chipText(filter: FilterName, value: string): string {
  const isTime = filter === "since" || filter === "until";
  return isTime && !Number.isNaN(Date.parse(value)) ? formatTime(Date.parse(value)) : value;
}
