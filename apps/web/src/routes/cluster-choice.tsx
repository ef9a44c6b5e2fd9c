import { Cluster } from "@bowline/api";
import { useId, type ReactNode } from "react";

import { useObjects } from "../live/live-context.tsx";
import { cleanText } from "../text/clean-text.ts";

/** The cluster that a screen is about: the one that the address names, or the first that there is. */
export function useCluster(named: string | undefined): {
  readonly name: string | undefined;
  readonly names: string[];
} {
  const { items } = useObjects(Cluster);
  const names = [...items.values()].map(({ metadata }) => metadata.name).toSorted();
  return { name: named ?? names[0], names };
}

interface ClusterChoiceProps {
  readonly value: string | undefined;
  readonly names: readonly string[];
  readonly onChange: (name: string) => void;
}

export function ClusterChoice({ value, names, onChange }: ClusterChoiceProps): ReactNode {
  const id = useId();
  return (
    <span className="flex items-center gap-1">
      <label htmlFor={id} className="text-xs text-muted">
        Cluster
      </label>
      <select
        id={id}
        value={value ?? ""}
        className="rounded-sm border border-control bg-bg px-1 py-1"
        onChange={({ target }) => onChange(target.value)}
      >
        {value !== undefined && !names.includes(value) && (
          <option value={value}>{cleanText(value, 63)}</option>
        )}
        {names.map((name) => (
          <option key={name} value={name}>
            {cleanText(name, 63)}
          </option>
        ))}
      </select>
    </span>
  );
}
