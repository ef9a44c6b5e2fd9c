import { useEffect, useId, useRef, useState, type KeyboardEvent, type ReactNode } from "react";

import { cleanText } from "../text/clean-text.ts";

export interface LabelChipsProps {
  readonly labels: Readonly<Record<string, string>>;
  readonly onChange: (labels: Readonly<Record<string, string>>) => void;
  readonly read: (
    text: string,
  ) => { readonly key: string; readonly value: string } | { readonly problem: string };
}

/** Labels, each a chip that can be taken away; Enter or a comma makes what is typed the next. */
export function LabelChips({ labels, onChange, read }: LabelChipsProps): ReactNode {
  const id = useId();
  const [text, setText] = useState("");
  const [problem, setProblem] = useState<string>();
  const field = useRef<HTMLInputElement>(null);
  // No form is sent without a label that somebody has typed and that is none yet.
  useEffect(() => field.current?.setCustomValidity(problem ?? ""), [problem]);
  const add = (): void => {
    const typed = text.trim();
    if (typed === "") return;
    const label = read(typed);
    if ("problem" in label) {
      setProblem(label.problem);
      return;
    }
    onChange({ ...labels, [label.key]: label.value });
    setText("");
    setProblem(undefined);
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.key !== "Enter" && event.key !== ",") return;
    event.preventDefault();
    add();
  };
  return (
    <div>
      <label htmlFor={id} className="mb-1 block font-semibold">
        Labels
      </label>
      <ul className="mb-1 flex flex-wrap gap-1" aria-label="Labels so far">
        {Object.entries(labels).map(([key, value]) => (
          <li key={key} className="flex items-center gap-1 rounded-sm bg-surface px-2 font-mono text-xs">
            {cleanText(value === "" ? key : `${key}=${value}`, 200)}
            <button
              type="button"
              aria-label={`Take away ${key}`}
              className="size-6"
              onClick={() =>
                onChange(Object.fromEntries(Object.entries(labels).filter(([other]) => other !== key)))
              }
            >
              ×
            </button>
          </li>
        ))}
      </ul>
      <input
        ref={field}
        id={id}
        value={text}
        placeholder="env=prod"
        spellCheck={false}
        autoComplete="off"
        aria-invalid={problem !== undefined}
        aria-describedby={`${id}-help`}
        className="w-full rounded-sm border border-control bg-bg px-2 py-1 font-mono"
        onChange={(event) => {
          setText(event.target.value);
          setProblem(undefined);
        }}
        onKeyDown={onKey}
        onBlur={add}
      />
      <p
        id={`${id}-help`}
        role="status"
        className={`mt-1 text-xs ${problem === undefined ? "text-muted" : "text-degraded"}`}
      >
        {problem ?? "Grants and workloads choose clusters by them. Enter adds one."}
      </p>
    </div>
  );
}
