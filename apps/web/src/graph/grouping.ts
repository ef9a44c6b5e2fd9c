import { nodeText } from "./node-ref.ts";
import type { Picture, PictureEdge, PictureNode } from "./picture.ts";

export const groupings = ["none", "namespace", "owner", "node"] as const;
export type Grouping = (typeof groupings)[number];

/** The name of the group that each node is in; those that are in none are missing. */
export function groupsOf({ nodes, edges }: Picture, by: Grouping): ReadonlyMap<string, string> {
  if (by === "none") return new Map();
  if (by === "namespace") return named(nodes, namespaceOf);
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const text = (id: string | undefined): string | undefined => {
    const ref = id === undefined ? undefined : byId.get(id)?.ref;
    return ref === undefined ? undefined : nodeText(ref);
  };
  if (by === "node") {
    const runsOn = firstOf(edges, "RUNS_ON", ({ from, to }) => [from, to]);
    return named(nodes, ({ id }) => text(runsOn.get(id)));
  }
  const owners = firstOf(edges, "OWNS", ({ from, to }) => [to, from]);
  return named(nodes, ({ id }) => text(topOf(id, owners)));
}

function namespaceOf({ ref }: PictureNode): string | undefined {
  if (ref === undefined || ref.namespace === "") return undefined;
  return ref.cluster === undefined ? ref.namespace : `${ref.cluster}/${ref.namespace}`;
}

function firstOf(
  edges: readonly PictureEdge[],
  type: string,
  pair: (edge: PictureEdge) => [key: string, value: string],
): ReadonlyMap<string, string> {
  const pairs = edges.filter((edge) => edge.type === type).map(pair);
  return new Map(pairs.toReversed());
}

/** Who is at the top of those who own it, also itself; a group of one alone is none. */
function topOf(id: string, owners: ReadonlyMap<string, string>): string | undefined {
  const seen = new Set([id]);
  let top = id;
  for (let owner = owners.get(id); owner !== undefined && !seen.has(owner); owner = owners.get(owner)) {
    seen.add(owner);
    top = owner;
  }
  return top;
}

/** A group of one alone is none. */
function named(
  nodes: readonly PictureNode[],
  nameOf: (node: PictureNode) => string | undefined,
): ReadonlyMap<string, string> {
  const names = nodes.flatMap((node): [string, string][] => {
    const name = nameOf(node);
    return name === undefined ? [] : [[node.id, name]];
  });
  const sizes = new Map<string, number>();
  for (const [, name] of names) sizes.set(name, (sizes.get(name) ?? 0) + 1);
  return new Map(names.filter(([, name]) => (sizes.get(name) ?? 0) > 1));
}
