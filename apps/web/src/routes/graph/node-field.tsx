import { useQuery } from "@tanstack/react-query";
import { useEffect, useId, useState, type ReactNode } from "react";

import { nodeParameter, nodeText, parseNode, type NodeRef } from "../../graph/node-ref.ts";
import { graphQuery } from "../../live/graph-question.ts";
import { cleanText } from "../../text/clean-text.ts";

export interface NodeFieldProps {
  readonly label: string;
  /** As it is in the address; empty for none. */
  readonly value: string;
  readonly cluster?: string | undefined;
  readonly at?: string | undefined;
  readonly isRequired?: boolean;
  readonly name?: string;
  readonly onChoose: (ref: NodeRef) => void;
}

const debounceMs = 80;
const clusterMark = " @ ";

/** A field for something in a cluster, which is searched for while one types. */
export function NodeField(props: NodeFieldProps): ReactNode {
  const { label, value, cluster, at, isRequired = false, name, onChoose } = props;
  const id = useId();
  const [typed, setTyped] = useState(value);
  const [shown, setShown] = useState(value);
  if (shown !== value) {
    setShown(value);
    setTyped(value);
  }
  const text = useDebounced(lastPart(typed), debounceMs);
  const search = graphQuery("search", { text, cluster, at, limit: 20 }, { isEnabled: text.length > 1 });
  const { data } = useQuery(search);
  const options = (data?.data.hits ?? []).flatMap(({ node }) => ("withheld" in node ? [] : [node]));
  const choose = (entered: string): void => {
    const [key = "", of] = entered.split(clusterMark);
    const ref = parseNode(key.trim());
    if (ref !== undefined) onChoose({ ...ref, cluster: of?.trim() });
  };
  return (
    <div className="flex flex-col gap-0.5">
      <label htmlFor={id} className="text-xs text-muted">
        {label}
      </label>
      <input
        id={id}
        name={name}
        value={typed}
        required={isRequired}
        list={`${id}-found`}
        autoComplete="off"
        spellCheck={false}
        placeholder="Search, or Kind/namespace/name"
        className="w-72 max-w-full rounded-sm border border-control bg-bg px-2 py-1"
        onChange={({ target }) => {
          setTyped(target.value);
          if (options.some((node) => optionOf(node) === target.value)) choose(target.value);
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter") choose(typed);
        }}
        onBlur={() => choose(typed)}
      />
      <datalist id={`${id}-found`}>
        {options.map((node) => (
          <option key={optionOf(node)} value={optionOf(node)}>
            {cleanText(nodeText(node), 200)}
          </option>
        ))}
      </datalist>
    </div>
  );
}

function optionOf(node: NodeRef): string {
  return `${nodeParameter(node)}${node.cluster === undefined ? "" : `${clusterMark}${node.cluster}`}`;
}

/** Names are searched for, not kinds. */
function lastPart(typed: string): string {
  return (typed.split(clusterMark)[0] ?? "").split("/").at(-1)?.trim() ?? "";
}

/** A value when it has been the same for a while. */
export function useDebounced<Value>(value: Value, ms: number): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}
