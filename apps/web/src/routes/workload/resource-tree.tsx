import type { TreeResource } from "@bowline/api";
import { useState, type ReactNode } from "react";

import type { ObjectAddress } from "../../kube/object-address.ts";
import { cleanText } from "../../text/clean-text.ts";
import { Age } from "../../ui/age.tsx";
import { HealthMark } from "../../ui/health-mark.tsx";
import { ObjectLink } from "../object-link.tsx";
import { adviceFor } from "./reasons.ts";
import { isPod, type TreeNode } from "./tree-nodes.ts";

interface TreeProps {
  readonly nodes: readonly TreeNode[];
  readonly cluster: string;
  readonly depth?: number;
}

/** Objects and what they own, as lists in lists: what a screen reader says of them is what they are. */
export function ResourceTree({ nodes, cluster, depth = 0 }: TreeProps): ReactNode {
  return (
    <ul
      aria-label={depth === 0 ? `Resources in ${cluster}` : undefined}
      className={depth === 0 ? "px-3 py-1" : "ml-[11px] border-l border-border pl-2"}
    >
      {nodes.map((node) => (
        <TreeItem key={node.key} node={node} cluster={cluster} depth={depth} />
      ))}
    </ul>
  );
}

function TreeItem({ node, cluster, depth }: { node: TreeNode; cluster: string; depth: number }): ReactNode {
  const [isOpen, setOpen] = useState(true);
  const { kind, name } = node.resource;
  const hasParts = node.children.length > 0;
  return (
    <li>
      <div className="flex items-start gap-1">
        {hasParts ? (
          <button
            type="button"
            aria-expanded={isOpen}
            aria-label={`Parts of ${cleanText(`${kind} ${name}`, 300)}`}
            className="size-6 shrink-0 text-muted"
            onClick={() => setOpen(!isOpen)}
          >
            {isOpen ? "▾" : "▸"}
          </button>
        ) : (
          <span className="size-6 shrink-0" />
        )}
        <ResourceLine node={node} cluster={cluster} />
      </div>
      {hasParts && isOpen && <ResourceTree nodes={node.children} cluster={cluster} depth={depth + 1} />}
    </li>
  );
}

interface LineProps {
  readonly node: TreeNode;
  readonly cluster: string;
  /** Whether messages are shown whole. */
  readonly isInFull?: boolean;
}

export function ResourceLine({ node, cluster, isInFull = false }: LineProps): ReactNode {
  const { resource, placed } = node;
  const { kind, name, namespace, health, drifted } = resource;
  const address: ObjectAddress = {
    cluster,
    group: resource.group,
    version: resource.version,
    kind,
    namespace,
    name,
  };
  const isTrouble = health !== "Healthy";
  const state = stateOf(node);
  return (
    <span className="block min-w-0 py-0.5">
      <span className="flex flex-wrap items-baseline gap-x-2">
        <HealthMark health={health} word={isTrouble} />
        <span className="text-muted">{cleanText(kind, 63)}</span>
        <ObjectLink object={address} className="font-mono wrap-anywhere">
          {cleanText(namespace === undefined ? name : `${namespace}/${name}`, 253)}
        </ObjectLink>
        {isPod(resource) && <PodLinks address={address} />}
        {state !== undefined && <span className="text-missing">{state}</span>}
        {drifted !== undefined && (
          <span className="text-missing">changed by {cleanText(drifted.changedBy, 100)}</span>
        )}
      </span>
      {isTrouble && <HealthWords {...resource} limit={isInFull ? 1_024 : 200} />}
      {state !== undefined && (
        <Refusal reason={placed?.reason ?? ""} message={placed?.message ?? ""} isInFull={isInFull} />
      )}
      {isInFull && <Events node={node} />}
    </span>
  );
}

/** How far an object of the manifests got, unless it got all the way. */
function stateOf({ placed }: TreeNode): string | undefined {
  return placed === undefined || placed.state === "applied" ? undefined : placed.state;
}

interface HealthWordsProps extends Pick<TreeResource, "healthReason" | "healthMessage"> {
  readonly limit: number;
}

function HealthWords({ healthReason, healthMessage, limit }: HealthWordsProps): ReactNode {
  const words = [healthReason, healthMessage].filter(Boolean).join(": ");
  if (words === "") return null;
  return <span className="block pl-5 text-muted wrap-anywhere">{cleanText(words, limit)}</span>;
}

function PodLinks({ address }: { address: ObjectAddress }): ReactNode {
  return (
    <>
      {(["logs", "shell"] as const).map((tab) => (
        <ObjectLink
          key={tab}
          object={address}
          tab={tab}
          label={`${tab} of ${address.name}`}
          className="rounded-sm border border-border px-1.5 font-sans text-xs"
        >
          {tab === "logs" ? "Logs" : "Shell"}
        </ObjectLink>
      ))}
    </>
  );
}

interface RefusalProps {
  readonly reason: string;
  readonly message: string;
  readonly isInFull: boolean;
}

function Refusal({ reason, message, isInFull }: RefusalProps): ReactNode {
  const advice = isInFull ? adviceFor(reason) : undefined;
  return (
    <span className="block pl-5 wrap-anywhere">
      {cleanText(`${reason} ${message}`, 1_024)}
      {advice !== undefined && <span className="text-muted"> What to do: {advice}</span>}
    </span>
  );
}

function Events({ node }: { node: TreeNode }): ReactNode {
  return node.resource.events.map(({ id, reason, message, count, lastSeenAt }) => (
    <span key={id} className="block pl-5 text-xs text-muted wrap-anywhere">
      {cleanText(reason, 100)}
      {count > 1 ? ` × ${count}` : ""}, <Age at={lastSeenAt} /> ago: {cleanText(message, 300)}
    </span>
  ));
}
