import { Cluster } from "@bowline/api";
import { useId, type ReactNode } from "react";

import { budgets, edgeTypes, edgeTypesIn, toggledEdge, type GraphSearch } from "../../graph/graph-search.ts";
import { groupings } from "../../graph/grouping.ts";
import { nodeParameter } from "../../graph/node-ref.ts";
import { edgeWords } from "../../graph/picture.ts";
import { useObjects } from "../../live/live-context.tsx";
import { cleanText } from "../../text/clean-text.ts";
import { NodeField } from "./node-field.tsx";

/** A part of the address that becomes another; undefined takes it away. */
export type SearchChange = { readonly [Key in keyof GraphSearch]?: GraphSearch[Key] | undefined };

export interface GraphControlsProps {
  readonly search: GraphSearch;
  readonly onChange: (change: SearchChange) => void;
}

/** What is in the middle, and how much of what is around it is drawn. */
export function GraphControls({ search, onChange }: GraphControlsProps): ReactNode {
  const { cluster, focus = "", depth = 2, group = "none", budget = budgets.usual, at } = search;
  const { items } = useObjects(Cluster);
  const clusters = [...items.values()].map(({ metadata }) => metadata.name).toSorted();
  return (
    <div className="flex flex-wrap items-end gap-3 px-3 py-2">
      <NodeField
        label="In the middle"
        value={focus}
        cluster={cluster}
        at={at}
        onChoose={(ref) => {
          if (nodeParameter(ref) === focus && (ref.cluster ?? cluster) === cluster) return;
          onChange({ focus: nodeParameter(ref), cluster: ref.cluster ?? cluster, peek: undefined });
        }}
      />
      <Choice
        label="Cluster"
        value={cluster ?? ""}
        options={[["", "any"], ...clusters.map((name): [string, string] => [name, cleanText(name)])]}
        onChoose={(name) => onChange({ cluster: name === "" ? undefined : name })}
      />
      <Choice
        label="Hops"
        value={String(depth)}
        options={["1", "2", "3"].map((hops) => [hops, hops])}
        onChoose={(hops) => onChange({ depth: hops === "1" ? 1 : hops === "3" ? 3 : undefined })}
      />
      <Choice
        label="Group by"
        value={group}
        options={groupings.map((grouping) => [grouping, grouping])}
        onChoose={(name) => {
          const grouping = groupings.find((each) => each === name);
          onChange({ group: grouping === "none" ? undefined : grouping });
        }}
      />
      <Choice
        label="At most"
        value={String(budget)}
        options={[...new Set([50, ...Object.values(budgets), budget])]
          .toSorted((one, other) => one - other)
          .map((count) => [String(count), `${count} nodes`])}
        onChoose={(count) =>
          onChange({ budget: Number(count) === budgets.usual ? undefined : Number(count) })
        }
      />
    </div>
  );
}

/** Types of edges that are drawn, each to be switched off. */
export function EdgeToggles({ search, onChange }: GraphControlsProps): ReactNode {
  const hidden = new Set(edgeTypesIn(search.without ?? ""));
  return (
    <ul aria-label="Edges" className="flex flex-wrap gap-1 px-3 pb-2">
      {edgeTypes.map((type) => (
        <li key={type}>
          <button
            type="button"
            aria-pressed={!hidden.has(type)}
            className="min-h-6 rounded-sm border border-control px-1.5 text-xs aria-pressed:bg-surface aria-[pressed=false]:text-muted aria-[pressed=false]:line-through"
            onClick={() => onChange({ without: toggledEdge(search.without, type) })}
          >
            {edgeWords(type)}
          </button>
        </li>
      ))}
    </ul>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, text: string])[];
  readonly onChoose: (value: string) => void;
}

function Choice({ label, value, options, onChoose }: ChoiceProps): ReactNode {
  const id = useId();
  return (
    <div className="flex flex-col gap-0.5">
      <label htmlFor={id} className="text-xs text-muted">
        {label}
      </label>
      <select
        id={id}
        value={value}
        className="rounded-sm border border-control bg-bg px-2 py-1"
        onChange={(event) => onChoose(event.target.value)}
      >
        {options.map(([each, text]) => (
          <option key={each} value={each}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}
