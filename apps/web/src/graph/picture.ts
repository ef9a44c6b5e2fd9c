import type { GraphData } from "@bowline/api";

import { nodeId, nodeText, type NodeRef } from "./node-ref.ts";

type Around = GraphData<"around">;
type Trouble = NonNullable<Around["nodes"][number]["trouble"]>;
export type Change = GraphData<"diff">["nodes"][number]["change"];

/** Something that is drawn: one object, or several that are alike. */
export interface PictureNode {
  /** The same for as long as it is the same object. */
  readonly id: string;
  /** Missing for what is withheld. */
  readonly ref: NodeRef | undefined;
  readonly hop: number;
  readonly trouble: Trouble | undefined;
  readonly replicas: number;
  readonly isDangling: boolean;
  /** What has become of it between two times. */
  readonly change?: Change;
}

export interface PictureEdge {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  /** Missing for what is withheld. */
  readonly type: string | undefined;
  readonly sentence: string;
  readonly count: number;
  readonly isDerived: boolean;
  readonly change?: Change;
}

export interface Picture {
  /** The one in the middle comes first. */
  readonly nodes: readonly PictureNode[];
  readonly edges: readonly PictureEdge[];
}

/** What to draw for an answer. What is withheld has no name: it is told apart by whom it has to do with. */
export function pictureOf({ nodes, edges }: Pick<Around, "nodes" | "edges">): Picture {
  const neighbours = new Map<number, number>();
  for (const { from, to } of edges) {
    if (!neighbours.has(from)) neighbours.set(from, to);
    if (!neighbours.has(to)) neighbours.set(to, from);
  }
  const seenId = (place: number): string => {
    const node = nodes[place]?.node;
    return node === undefined || "withheld" in node ? "" : nodeId(node);
  };
  const drawn = nodes.map(({ node, hop, trouble, replicas = 1 }, place): PictureNode => {
    const isWithheld = "withheld" in node;
    return {
      id: isWithheld ? `withheld ${seenId(neighbours.get(place) ?? -1)}` : nodeId(node),
      ref: isWithheld ? undefined : node,
      hop,
      trouble,
      replicas,
      isDangling: !isWithheld && node.dangling === true,
    };
  });
  return {
    nodes: drawn,
    edges: edges.flatMap(({ from, to, edge, count = 1 }): PictureEdge[] => {
      const [one, other] = [drawn[from]?.id, drawn[to]?.id];
      if (one === undefined || other === undefined) return [];
      const type = "withheld" in edge ? undefined : edge.type;
      return [
        {
          id: `${one} ${type ?? "withheld"} ${other}`,
          from: one,
          to: other,
          type,
          sentence: "withheld" in edge ? "A step that is withheld." : edge.sentence,
          count,
          isDerived: !("withheld" in edge) && edge.derived === true,
        },
      ];
    }),
  };
}

/** `web-1 × 12 pods`, for those who read and those who listen. */
export function nodeLabel({ ref, replicas }: Pick<PictureNode, "ref" | "replicas">): string {
  const things = (kind: string): string => `${kind.toLowerCase()}${kind.endsWith("s") ? "es" : "s"}`;
  if (ref === undefined) return replicas === 1 ? "withheld" : `${replicas} things that are withheld`;
  return replicas === 1 ? nodeText(ref) : `${nodeText(ref)} × ${replicas} ${things(ref.kind)}`;
}

/** `USES_SECRET` as one reads it. */
export function edgeWords(type: string): string {
  return type.toLowerCase().replaceAll("_", " ");
}

/** One sentence about what there was no room for; empty when there was. */
export function leftOutText({ nodes, total, leftOut }: Pick<Around, "nodes" | "total" | "leftOut">): string {
  const folded = nodes.reduce((sum, { replicas = 1 }) => sum + replicas, 0);
  if (leftOut.length === 0) return "";
  const number = (count: number): string => count.toLocaleString("en");
  const groups = leftOut.slice(0, groupsTold).map(({ kind, trouble, count }) => {
    const what = kind === "" ? "withheld" : `${kind}${count === 1 ? "" : "s"}`;
    return [number(count), trouble?.toLowerCase() ?? "", what].filter((part) => part !== "").join(" ");
  });
  const more = leftOut.length > groupsTold ? ` and ${leftOut.length - groupsTold} more kinds` : "";
  return `Drawn ${number(folded)} of ${number(total)}: not drawn are ${groups.join(", ")}${more}.`;
}

const groupsTold = 4;

type Hops = GraphData<"path">["hops"];

/** A way as a picture: one node for each that it goes through. */
export function pictureOfWay(hops: Hops): Picture {
  const [first] = hops;
  if (first === undefined) return { nodes: [], edges: [] };
  const stations = [first.from, ...hops.map(({ to }) => to)];
  return pictureOf({
    nodes: stations.map((node, hop) => ({ node, hop })),
    // Along the way, also where an edge leads against it: from a binding to whom it binds.
    edges: hops.flatMap(({ edges }, place) =>
      edges.slice(0, 1).map((edge) => ({ from: place, to: place + 1, edge })),
    ),
  });
}

type Concerned = GraphData<"blast-radius">["reached"];

/** What depends on something and what it reaches, each after the one that it was come to by. */
export function pictureOfRadius({
  start,
  depending,
  reached,
}: Pick<GraphData<"blast-radius">, "start" | "depending" | "reached">): Picture {
  if (start === undefined) return { nodes: [], edges: [] };
  const concerned: Concerned = [...depending, ...reached].slice(0, mostConcerned);
  const places = new Map([[keyOf(start), 0]]);
  const told: Around["nodes"] = [{ node: start, hop: 0 }];
  for (const { node, hop, replicas } of concerned) {
    if ("withheld" in node || places.has(keyOf(node))) continue;
    places.set(keyOf(node), told.length);
    told.push({ node, hop, ...(replicas === undefined ? {} : { replicas }) });
  }
  const isDepending = new Set(depending);
  const edges = concerned.flatMap((each): Around["edges"] => {
    const [near, far] = [places.get(keyOf(each.after)), places.get(keyOf(each.node))];
    if (near === undefined || far === undefined || near === far) return [];
    // Who depends on something points at it.
    const [from, to] = isDepending.has(each) ? [far, near] : [near, far];
    return [{ from, to, edge: each.because }];
  });
  return pictureOf({ nodes: told, edges });
}

const mostConcerned = 200;

function keyOf(node: Around["nodes"][number]["node"]): string {
  return "withheld" in node ? "withheld" : nodeId(node);
}
