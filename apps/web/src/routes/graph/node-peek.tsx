import type { GraphData } from "@bowline/api";
import { Link } from "@tanstack/react-router";
import { useMemo, type ReactNode } from "react";

import { nodeParameter, nodeText, objectPath, type NodeRef } from "../../graph/node-ref.ts";
import { useGraphAnswer } from "../../live/graph-question.ts";
import { RequestFailed } from "../../live/request.ts";
import { cleanText } from "../../text/clean-text.ts";
import { PageLink } from "../../text/page-link.tsx";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { HealthMark } from "../../ui/health-mark.tsx";
import { useKeys } from "../../ui/keys.ts";
import { Failed, Loading } from "../../ui/states.tsx";

export interface NodePeekProps {
  readonly node: NodeRef;
  readonly at: string | undefined;
  readonly onFocus: (node: NodeRef) => void;
  readonly onClose: () => void;
}

/** What is known of one thing, beside the picture. */
export function NodePeek({ node, at, onFocus, onClose }: NodePeekProps): ReactNode {
  const key = nodeParameter(node);
  const keys = useMemo(
    () => [{ keys: "Escape", does: "Close what lies beside the picture", run: onClose }],
    [onClose],
  );
  useKeys(keys);
  const { data, error, refetch } = useGraphAnswer("around", {
    node: key,
    cluster: node.cluster,
    depth: 1,
    at,
    limit: 1_000,
  });
  const answer = data?.data;
  const path = objectPath(node);
  const search = { node: key, ...(node.cluster === undefined ? {} : { cluster: node.cluster }) };
  return (
    <aside
      aria-label={`About ${nodeText(node)}`}
      className="flex max-h-[50vh] w-full shrink-0 flex-col gap-2 overflow-auto border-l border-border p-3 md:max-h-none md:w-80"
    >
      <div className="flex items-start justify-between gap-2">
        <h2 className="text-lg wrap-anywhere">{cleanText(nodeText(node), 300)}</h2>
        <Button look="link" aria-label="Close" onClick={onClose}>
          ×
        </Button>
      </div>
      <p className="text-xs text-muted">
        {node.cluster === undefined ? "the same in all clusters" : `in ${cleanText(node.cluster)}`}
      </p>
      <ul className="flex flex-wrap gap-x-3 gap-y-1">
        {path !== undefined && (
          <li>
            <PageLink path={path}>Open</PageLink>
          </li>
        )}
        <li>
          <Button look="link" onClick={() => onFocus(node)}>
            Put into the middle
          </Button>
        </li>
        <li>
          <Link to="/ask" search={{ q: "uses", ...search }}>
            Who uses it
          </Link>
        </li>
        <li>
          <Link to="/ask" search={{ q: "blast-radius", ...search }}>
            What breaks without it
          </Link>
        </li>
        <li>
          <CopyButton text={node.name} what="the name" />
        </li>
      </ul>
      {error instanceof RequestFailed && <Failed failure={error.failure} onRetry={() => void refetch()} />}
      {answer === undefined && error === null && <Loading what="what is known of it" />}
      {answer !== undefined && <Facts answer={answer} />}
    </aside>
  );
}

function Facts({ answer }: { answer: GraphData<"around"> }): ReactNode {
  const { found, properties = {}, nodes } = answer;
  const trouble = nodes[0]?.trouble;
  // Not those between others that are around it.
  const edges = answer.edges.filter(({ from, to }) => from === 0 || to === 0);
  if (!found) return <p className="text-muted">Nobody has seen it, or you may not see it.</p>;
  return (
    <>
      {trouble !== undefined && <HealthMark health={trouble} />}
      <dl className="grid grid-cols-[7rem_1fr] gap-x-2 gap-y-0.5">
        {Object.entries(properties).map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="truncate text-muted">{cleanText(name, 60)}</dt>
            <dd className="font-mono text-xs wrap-anywhere">{cleanText(valueText(value), 400)}</dd>
          </div>
        ))}
      </dl>
      <h3>What it has to do with</h3>
      <ul className="space-y-1">
        {edges.map(({ from, to, edge, count = 1 }) => (
          <li key={`${from} ${to} ${"withheld" in edge ? "" : edge.type}`} className="wrap-anywhere">
            {"withheld" in edge ? "A step that is withheld" : cleanText(edge.sentence, 500)}
            {count > 1 && <span className="text-muted"> × {count}</span>}
          </li>
        ))}
        {edges.length === 0 && <li className="text-muted">Nothing.</li>}
      </ul>
    </>
  );
}

function valueText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
