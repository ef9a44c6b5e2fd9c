import type { GraphData } from "@bowline/api";

import { nodeId, type NodeRef } from "./node-ref.ts";
import type { Change, Picture, PictureEdge, PictureNode } from "./picture.ts";

type Diff = GraphData<"diff">;
type AnswerNode = Diff["nodes"][number]["node"];

/** Nodes that went are drawn beside those that they had to do with; more would bury what is there. */
const mostGone = 50;

/** A picture of the later of two times with what has changed in between: also what is there no more. */
export function withChanges(picture: Picture, { nodes, edges }: Pick<Diff, "nodes" | "edges">): Picture {
  const changes = new Map(nodes.flatMap(({ node, change }) => entry(node, change)));
  const seen = edges.flatMap((each) => seenChange(each));
  const drawn = new Set(picture.nodes.map(({ id }) => id));
  const gone = new Map<string, PictureNode>();
  const lost = new Map<string, PictureEdge>();
  for (const { change, from, to, edge } of seen) {
    const ends = [from, to].map((ref) => ({ id: nodeId(ref), ref }));
    const [one = "", other = ""] = ends.map(({ id }) => id);
    if (change !== "went" || one === other || !ends.some(({ id }) => drawn.has(id))) continue;
    for (const { id, ref } of ends) {
      if (drawn.has(id) || gone.has(id) || changes.get(id) !== "went" || gone.size >= mostGone) continue;
      gone.set(id, goneNode(id, ref));
    }
    if (![one, other].every((id) => drawn.has(id) || gone.has(id))) continue;
    const { type, sentence, derived = false } = edge;
    const id = `went ${one} ${type} ${other}`;
    lost.set(id, { id, from: one, to: other, type, sentence, count: 1, isDerived: derived, change: "went" });
  }
  const edgeChanges = new Map(
    seen.map(({ change, from, to, edge }) => [`${nodeId(from)} ${edge.type} ${nodeId(to)}`, change]),
  );
  const folded = changedFolds(picture, seen, changes);
  return {
    nodes: [
      ...picture.nodes.map((node) => marked(node, changes.get(node.id) ?? folded.get(node.id))),
      ...gone.values(),
    ],
    edges: [...picture.edges.map((edge) => marked(edge, edgeChanges.get(edge.id))), ...lost.values()],
  };
}

interface SeenChange {
  readonly change: Change;
  readonly from: NodeRef;
  readonly to: NodeRef;
  readonly edge: Exclude<Diff["edges"][number]["edge"], { withheld: true }>;
}

/** As it is drawn: what is inside of a pod is the pod. What is withheld is not. */
function seenChange({ change, from, to, edge }: Diff["edges"][number]): SeenChange[] {
  if ("withheld" in from || "withheld" in to || "withheld" in edge) return [];
  return [{ change, from: wholeOf(from), to: wholeOf(to), edge }];
}

function wholeOf({ cluster, kind, namespace, name }: NodeRef): NodeRef {
  const isPart = kind === "Container" || kind === "Volume";
  return isPart
    ? { cluster, kind: "Pod", namespace, name: name.split("/")[0] ?? name }
    : { cluster, kind, namespace, name };
}

/** Nodes that stand for several have changed when one of these came or went: those of the same owner and kind. */
function changedFolds(
  { nodes, edges }: Picture,
  seen: readonly SeenChange[],
  changes: ReadonlyMap<string, Change>,
): ReadonlyMap<string, Change> {
  const folds = new Map(nodes.filter(({ replicas }) => replicas > 1).map((node) => [node.id, node]));
  const byOwner = new Map(
    edges
      .filter(({ type, to }) => type === "OWNS" && folds.has(to))
      .map(({ from, to }) => [`${from} ${folds.get(to)?.ref?.kind}`, to]),
  );
  return new Map(
    seen.flatMap(({ from, to, edge }): [string, Change][] => {
      const fold = edge.type === "OWNS" ? byOwner.get(`${nodeId(from)} ${to.kind}`) : undefined;
      return fold === undefined || !changes.has(nodeId(to)) ? [] : [[fold, "changed"]];
    }),
  );
}

function entry(node: AnswerNode, change: Change): [string, Change][] {
  return "withheld" in node ? [] : [[nodeId(node), change]];
}

function marked<Item extends object>(item: Item, change: Change | undefined): Item & { change?: Change } {
  return change === undefined ? item : { ...item, change };
}

function goneNode(id: string, ref: NodeRef): PictureNode {
  return { id, ref, hop: 1, trouble: undefined, replicas: 1, isDangling: false, change: "went" };
}
