import { parseLabelSelector } from "@bowline/api";
import { BowlineError } from "@bowline/core";
import { useId, useState, type ReactNode } from "react";

import { cleanText } from "../../text/clean-text.ts";

export interface LabelFieldProps {
  readonly value: string;
  readonly onChange: (selector: string | undefined) => void;
}

/** A selector of labels, as kubectl takes it; the cluster does the selecting, once it is whole. */
export function LabelField({ value, onChange }: LabelFieldProps): ReactNode {
  const id = useId();
  const [problem, setProblem] = useState<string>();
  const take = (text: string): void => {
    const found = problemOf(text);
    setProblem(found);
    if (found === undefined) onChange(text.trim() || undefined);
  };
  return (
    <div className="flex items-center gap-1.5">
      <label htmlFor={id} className="sr-only">
        Label selector
      </label>
      <input
        id={id}
        key={value}
        defaultValue={value}
        placeholder="Labels: app=web"
        aria-invalid={problem !== undefined}
        aria-describedby={`${id}-problem`}
        className="w-44 rounded-sm border border-control bg-bg px-2 py-1"
        onKeyDown={(event) => {
          if (event.key === "Enter") take(event.currentTarget.value);
        }}
        onBlur={(event) => {
          if (event.currentTarget.value !== value) take(event.currentTarget.value);
        }}
      />
      <span id={`${id}-problem`} className="text-xs text-degraded">
        {problem === undefined ? "" : cleanText(problem, 120)}
      </span>
    </div>
  );
}

function problemOf(text: string): string | undefined {
  try {
    if (text.trim() !== "") parseLabelSelector(text.trim());
    return undefined;
  } catch (error) {
    if (error instanceof BowlineError) return error.message;
    throw error;
  }
}
