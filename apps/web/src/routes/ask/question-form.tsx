import { useId, useState, type ReactNode } from "react";

import type { AskParameter } from "../../graph/ask-search.ts";
import { nodeParameter } from "../../graph/node-ref.ts";
import { Button } from "../../ui/button.tsx";
import { NodeField } from "../graph/node-field.tsx";
import { localTime, momentOf, type QuestionCard, type QuestionField } from "./question-cards.ts";

export interface QuestionFormProps {
  readonly card: QuestionCard;
  /** As it is in the address. */
  readonly given: Readonly<Record<string, string>>;
  readonly clusters: readonly string[];
  readonly onAsk: (parameters: Readonly<Record<string, string>>) => void;
}

/** The parameters of a question. What is asked is in the address; what is typed is here. */
export function QuestionForm({ card, given, clusters, onAsk }: QuestionFormProps): ReactNode {
  const [typed, setTyped] = useState(given);
  const [shown, setShown] = useState(given);
  if (shown !== given) {
    setShown(given);
    setTyped(given);
  }
  const set = (name: AskParameter, value: string): void =>
    setTyped((before) => ({ ...before, [name]: value }));
  return (
    <form
      aria-label={card.title}
      className="flex flex-wrap items-end gap-3 border-b border-border px-4 py-2"
      onSubmit={(event) => {
        event.preventDefault();
        const entered = new FormData(event.currentTarget);
        // What is no name of an object is asked as it was typed, and the server says what is wrong with it.
        const nodes = card.fields
          .filter(({ name, type }) => type === "node" && (typed[name] ?? "") === "")
          .map(({ name }): [string, string] => {
            const text = entered.get(name);
            return [name, typeof text === "string" ? text : ""];
          });
        const all = { ...typed, ...Object.fromEntries(nodes) };
        onAsk(Object.fromEntries(Object.entries(all).filter(([, value]) => value !== "")));
      }}
    >
      {card.fields.map((field) =>
        field.type === "node" ? (
          <NodeField
            key={field.name}
            name={field.name}
            label={field.label}
            value={typed[field.name] ?? ""}
            cluster={typed["cluster"] === "" ? undefined : typed["cluster"]}
            isRequired={field.isRequired}
            onChoose={(ref) => {
              set(field.name, nodeParameter(ref));
              if (ref.cluster !== undefined) set("cluster", ref.cluster);
            }}
          />
        ) : (
          <Field
            key={field.name}
            field={field.name === "cluster" ? { ...field, type: "choice", options: clusters } : field}
            value={typed[field.name] ?? ""}
            onValue={(value) => set(field.name, value)}
          />
        ),
      )}
      <Button look="main" submits>
        Ask
      </Button>
    </form>
  );
}

interface FieldProps {
  readonly field: QuestionField;
  readonly value: string;
  readonly onValue: (value: string) => void;
}

function Field({ field, value, onValue }: FieldProps): ReactNode {
  const id = useId();
  const { name, label, help, isRequired, type, options } = field;
  const common = {
    id,
    name,
    required: isRequired,
    "aria-describedby": `${id}-help`,
    className: "max-w-full rounded-sm border border-control bg-bg px-2 py-1",
  };
  return (
    <div className="flex flex-col gap-0.5">
      <label htmlFor={id} className="text-xs text-muted">
        {label}
      </label>
      {type === "choice" ? (
        <select {...common} value={value} onChange={({ target }) => onValue(target.value)}>
          <option value="">any</option>
          {[...new Set([...options, ...(value === "" ? [] : [value])])].map((option) => (
            <option key={option} value={option}>
              {option}
            </option>
          ))}
        </select>
      ) : (
        <input
          {...common}
          type={type === "time" ? "datetime-local" : "text"}
          {...(type === "time" ? { step: 1 } : {})}
          value={type === "time" ? localTime(value) : value}
          autoComplete="off"
          spellCheck={false}
          onChange={({ target }) => onValue(type === "time" ? momentOf(target.value) : target.value)}
        />
      )}
      <span id={`${id}-help`} className="sr-only">
        {help}
      </span>
    </div>
  );
}
