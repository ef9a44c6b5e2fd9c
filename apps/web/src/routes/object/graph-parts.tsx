import type { GraphAnswer, GraphData } from "@bowline/api";
import type { DiscoveredApis } from "@bowline/kube/shapes";
import type { ReactNode } from "react";

import { cleanText } from "../../text/clean-text.ts";
import { NotObserved } from "../../ui/data-states.tsx";
import { PlaceLink, placeOfKind } from "./owner-chain.tsx";

/** Something in an answer of the graph. */
export type GraphNode = GraphData<"uses">["users"][number]["user"];

export function nodeText(node: GraphNode): string {
  if ("withheld" in node) return "something you may not see";
  const { kind, namespace, name } = node;
  return cleanText([kind.split(".")[0], namespace, name].filter((part) => part !== "").join("/"), 300);
}

export interface NodeLinkProps {
  readonly node: GraphNode;
  readonly apis: DiscoveredApis | undefined;
  readonly cluster: string;
}

/** Leads to the page of an object, where it is one. */
export function NodeLink({ node, apis, cluster }: NodeLinkProps): ReactNode {
  if ("withheld" in node || apis === undefined) return nodeText(node);
  const [kind = "", ...group] = node.kind.split(".");
  const object = { cluster: node.cluster ?? cluster, kind, namespace: node.namespace, name: node.name };
  // The graph leaves the group out of what every cluster has.
  const groups = group.length > 0 ? [group.join(".")] : [...new Set(apis.groups.map(({ name }) => name))];
  const place = groups.flatMap((name) => placeOfKind(apis, { ...object, group: name }) ?? [])[0];
  return <PlaceLink kind={kind} name={node.name} {...(place === undefined ? {} : { place })} />;
}

/** What the answer may lack, and why: nothing seen is not nothing there. */
export function AnswerGaps({ answer }: { answer: GraphAnswer }): ReactNode {
  const { withheld, notObserved, truncated } = answer;
  const gaps = notObserved.map(({ cluster, kind, namespace, state, message, since }) => ({
    what: [cluster, kind, namespace].filter((part) => part !== "").join("/"),
    why: message ?? state.toLowerCase(),
    since,
  }));
  return (
    <>
      {truncated && <p className="text-muted">There is more than is shown.</p>}
      {withheld > 0 && (
        <p className="text-muted">{withheld} left out, because no grant of yours covers them.</p>
      )}
      <NotObserved gaps={gaps} />
    </>
  );
}
