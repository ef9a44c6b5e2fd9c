import { Handle, Position, type Node, type NodeProps } from "@xyflow/react";
import type { ReactNode } from "react";

import { nodeLabel, type Change, type PictureNode } from "../../graph/picture.ts";
import { cleanText } from "../../text/clean-text.ts";
import { HealthMark } from "../../ui/health-mark.tsx";

export type ObjectCardNode = Node<{ object: PictureNode; isFocus: boolean }, "object">;
export type GroupBoxNode = Node<{ name: string }, "box">;

/** Shape and colour of a change: none of them alone. */
const changes: Readonly<Record<Change, { readonly sign: string; readonly look: string }>> = {
  came: { sign: "+", look: "border-l-4 border-healthy" },
  went: { sign: "−", look: "border-dashed border-degraded line-through opacity-80" },
  changed: { sign: "~", look: "border-dotted border-2 border-progressing" },
};

/** An object in a picture. */
export function ObjectCard({ data: { object, isFocus }, selected }: NodeProps<ObjectCardNode>): ReactNode {
  const { ref, trouble, replicas, isDangling, change } = object;
  const place = ref === undefined ? "" : [ref.cluster ?? "", ref.namespace].filter(Boolean).join("/");
  const look = change === undefined ? "" : changes[change].look;
  const edge = isFocus
    ? "border-2 border-accent"
    : isDangling
      ? "border-dashed border-control"
      : "border-control";
  return (
    <div
      className={`flex h-[46px] w-[208px] flex-col justify-center rounded-md border bg-raised px-2 text-left ${edge} ${look} ${selected ? "ring-2 ring-accent" : ""}`}
      title={cleanText(nodeLabel(object), 300)}
    >
      <span className="flex items-center gap-1 text-[11px] text-muted">
        {trouble !== undefined && <HealthMark health={trouble} word={false} />}
        <span className="truncate">
          {change !== undefined && <b>{changes[change].sign} </b>}
          {cleanText(ref?.kind ?? "withheld", 60)}
        </span>
        <span className="ml-auto truncate">{cleanText(place, 60)}</span>
      </span>
      <span className="flex items-center gap-1">
        <span className="truncate font-semibold">{cleanText(ref?.name ?? "you may not see it", 120)}</span>
        {replicas > 1 && <span className="ml-auto shrink-0 text-xs">× {replicas}</span>}
      </span>
      <Handle type="target" position={Position.Left} isConnectable={false} className="invisible" />
      <Handle type="source" position={Position.Right} isConnectable={false} className="invisible" />
    </div>
  );
}

/** What is around the nodes of a group. */
export function GroupBox({ data: { name } }: NodeProps<GroupBoxNode>): ReactNode {
  return (
    <div className="size-full rounded-md border border-border bg-surface/60 px-2 py-1 text-xs text-muted">
      {cleanText(name, 120)}
    </div>
  );
}
