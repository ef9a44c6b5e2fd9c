import type { ElkNode } from "elkjs/lib/elk-api.js";

import type { Picture } from "./picture.ts";

export interface Position {
  readonly x: number;
  readonly y: number;
}

/** Where nodes are, by their ids. */
export type Positions = ReadonlyMap<string, Position>;

export const nodeSize = { width: 208, height: 46 } as const;
const gap = { across: 90, down: 16 } as const;
const pitch = { x: nodeSize.width + gap.across, y: nodeSize.height + gap.down } as const;

/** More take longer than anybody waits for. */
export const mostLaidOut = 500;

/**
 * A picture at once, in columns: what leads to the one in the middle on its left, the rest on its right, each a column
 * further for every hop. It stands until the better one is there, and where there are too many for that.
 */
export function columnLayout({ nodes, edges }: Picture): Positions {
  const [middle] = nodes;
  const hops = new Map(nodes.map(({ id, hop }) => [id, hop]));
  const left = new Set<string>();
  // Those of one hop are on the side of the one that they were come to by.
  for (const { from, to } of edges.toSorted((a, b) => depthOf(hops, a) - depthOf(hops, b))) {
    const [one, other] = [hops.get(from) ?? 0, hops.get(to) ?? 0];
    if (one === other + 1 && (to === middle?.id || left.has(to))) left.add(from);
    if (other === one + 1 && left.has(from)) left.add(to);
  }
  const columns = new Map<number, string[]>();
  for (const { id, hop } of nodes) {
    const column = left.has(id) ? -hop : hop;
    const ids = columns.get(column);
    if (ids === undefined) columns.set(column, [id]);
    else ids.push(id);
  }
  return new Map(
    [...columns].flatMap(([column, ids]) =>
      ids.map((id, row): [string, Position] => [
        id,
        { x: column * pitch.x, y: (row - (ids.length - 1) / 2) * pitch.y },
      ]),
    ),
  );
}

/** A way, from left to right, whichever way its edges lead. */
export function wayLayout({ nodes }: Picture): Positions {
  return new Map(nodes.map(({ id, hop }) => [id, { x: hop * pitch.x, y: 0 }]));
}

function depthOf(hops: ReadonlyMap<string, number>, { from, to }: { from: string; to: string }): number {
  return Math.max(hops.get(from) ?? 0, hops.get(to) ?? 0);
}

/** In layers, by options that are quick rather than thorough. */
const layoutOptions = {
  "elk.algorithm": "layered",
  "elk.direction": "RIGHT",
  "elk.edgeRouting": "POLYLINE",
  "elk.layered.thoroughness": "1",
  "elk.layered.nodePlacement.strategy": "SIMPLE",
  "elk.layered.crossingMinimization.greedySwitch.type": "OFF",
  "elk.layered.spacing.nodeNodeBetweenLayers": String(gap.across),
  "elk.spacing.nodeNode": String(gap.down),
};

const acrossGroups = { "elk.hierarchyHandling": "INCLUDE_CHILDREN" };
const groupOptions = { "elk.padding": "[top=30,left=14,bottom=14,right=14]" };

/** What the layout program is asked. */
export function layoutInput(picture: Picture, groups: ReadonlyMap<string, string>): ElkNode {
  const members = Map.groupBy(picture.nodes, ({ id }) => groups.get(id));
  const box = ({ id }: { readonly id: string }): ElkNode => ({ id, ...nodeSize });
  return {
    id: "all",
    // Edges go into groups and out of them.
    layoutOptions: groups.size === 0 ? layoutOptions : { ...layoutOptions, ...acrossGroups },
    children: [...members].flatMap(([name, nodes]): ElkNode[] =>
      name === undefined
        ? nodes.map(box)
        : [{ id: `group ${name}`, layoutOptions: groupOptions, children: nodes.map(box) }],
    ),
    edges: picture.edges.map(({ id, from, to }) => ({ id, sources: [from], targets: [to] })),
  };
}

/** Its answer, with the places of nodes in groups counted from the same corner as all others. */
export function layoutOutput({ children = [] }: ElkNode): Positions {
  return new Map(
    children.flatMap(({ id, x = 0, y = 0, children: inside }): [string, Position][] =>
      inside === undefined || inside.length === 0
        ? [[id, { x, y }]]
        : inside.map((node) => [node.id, { x: x + (node.x ?? 0), y: y + (node.y ?? 0) }]),
    ),
  );
}

/**
 * Places for a picture that others came before: whatever was there stays where it was, and what is new goes where the
 * layout has it, moved like its neighbours and down to the first place that is free.
 */
export function keepPositions(before: Positions, ideal: Positions, edges: Picture["edges"]): Positions {
  const kept = new Map([...ideal.keys()].flatMap((id) => entryOf(id, before.get(id))));
  if (kept.size === 0) return ideal;
  const neighbours = neighboursOf(edges);
  const shift = averageShift([...kept.keys()], kept, ideal);
  for (const [id, wanted] of ideal) {
    if (kept.has(id)) continue;
    const near = (neighbours.get(id) ?? []).filter((other) => before.has(other) && kept.has(other));
    const { x, y } = near.length === 0 ? shift : averageShift(near, kept, ideal);
    kept.set(id, freePlace({ x: wanted.x + x, y: wanted.y + y }, kept));
  }
  return kept;
}

/** The first place from there on downwards where nobody is covered. */
function freePlace(wanted: Position, taken: Positions): Position {
  const column = [...taken.values()]
    .filter(({ x }) => Math.abs(x - wanted.x) < nodeSize.width + gap.down)
    .map(({ y }) => y)
    .toSorted((one, other) => one - other);
  let { y } = wanted;
  for (const other of column) if (Math.abs(other - y) < pitch.y) y = other + pitch.y;
  return { x: wanted.x, y };
}

function entryOf(id: string, position: Position | undefined): [string, Position][] {
  return position === undefined ? [] : [[id, position]];
}

function averageShift(ids: readonly string[], kept: Positions, ideal: Positions): Position {
  let [x, y] = [0, 0];
  for (const id of ids) {
    x += (kept.get(id)?.x ?? 0) - (ideal.get(id)?.x ?? 0);
    y += (kept.get(id)?.y ?? 0) - (ideal.get(id)?.y ?? 0);
  }
  return { x: x / ids.length, y: y / ids.length };
}

function neighboursOf(edges: Picture["edges"]): ReadonlyMap<string, readonly string[]> {
  const neighbours = new Map<string, string[]>();
  for (const { from, to } of edges) {
    neighbours.set(from, [...(neighbours.get(from) ?? []), to]);
    neighbours.set(to, [...(neighbours.get(to) ?? []), from]);
  }
  return neighbours;
}

/** Moves everything so that one of them is where it was. */
export function anchored(positions: Positions, id: string, at: Position): Positions {
  const now = positions.get(id);
  if (now === undefined) return positions;
  const [dx, dy] = [at.x - now.x, at.y - now.y];
  return new Map([...positions].map(([each, { x, y }]) => [each, { x: x + dx, y: y + dy }]));
}

export interface Bounds extends Position {
  readonly width: number;
  readonly height: number;
}

/** What all nodes are within. */
export function boundsOf(positions: Positions): Bounds {
  if (positions.size === 0) return { x: 0, y: 0, ...nodeSize };
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const { x, y } of positions.values()) {
    [left, top] = [Math.min(left, x), Math.min(top, y)];
    [right, bottom] = [Math.max(right, x + nodeSize.width), Math.max(bottom, y + nodeSize.height)];
  }
  return { x: left, y: top, width: right - left, height: bottom - top };
}
