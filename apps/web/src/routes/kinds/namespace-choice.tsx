import { useId, type ReactNode } from "react";

import { cleanText } from "../../text/clean-text.ts";
import type { Namespaces } from "./namespaces.ts";

export interface NamespaceChoiceProps {
  readonly namespaces: Namespaces;
  readonly value: string | undefined;
  readonly onChange: (namespace: string | undefined) => void;
}

/** One namespace or all; typed where nobody says which there are. */
export function NamespaceChoice({ namespaces, value, onChange }: NamespaceChoiceProps): ReactNode {
  const id = useId();
  const { names, mayAskAll } = namespaces;
  const className = "max-w-56 rounded-sm border border-control bg-bg px-2 py-1";
  const isKnown = value === undefined || names?.includes(value) === true;
  return (
    <div className="flex items-center gap-1.5">
      <label htmlFor={id} className="text-xs text-muted">
        Namespace
      </label>
      {names === undefined ? (
        <input
          id={id}
          key={value ?? ""}
          defaultValue={value ?? ""}
          placeholder="all"
          className={className}
          onKeyDown={(event) => {
            if (event.key === "Enter") onChange(event.currentTarget.value.trim() || undefined);
          }}
          onBlur={(event) => onChange(event.currentTarget.value.trim() || undefined)}
        />
      ) : (
        <select
          id={id}
          value={value ?? ""}
          className={className}
          onChange={(event) => onChange(event.target.value || undefined)}
        >
          <option value="">{mayAskAll ? "all" : "choose one"}</option>
          {!isKnown && <option value={value}>{cleanText(value ?? "", 63)}</option>}
          {names.map((name) => (
            <option key={name} value={name}>
              {cleanText(name, 63)}
            </option>
          ))}
        </select>
      )}
    </div>
  );
}
