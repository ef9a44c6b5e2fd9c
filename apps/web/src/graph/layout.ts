import { gap, layered, type Box, type Position, type Size } from "./layered.ts";

/** Where nodes are, by their ids. */
export type Positions = ReadonlyMap<string, Position>;

/** As much of a picture as places depend on. */
export interface Outline {
  /** The one in the middle comes first. */
  readonly nodes: readonly { readonly id: string; readonly hop: number }[];
  readonly edges: readonly { readonly from: string; readonly to: string }[];
}

export const nodeSize = { width: 208, height: 46 } as const;
/** Between the nodes of a group and its edge; more at the top, where its name is. */
export const groupPadding = { side: 12, top: 26 } as const;
const pitch = { x: nodeSize.width + gap.across, y: nodeSize.height + gap.down } as const;

/**
 * A picture in layers: what leads to something on its left, the rest on its right. Groups are pictures of their own,
 * which are boxes of the whole.
 */
export function layeredLayout({ nodes, edges }: Outline, groups: ReadonlyMap<string, string>): Positions {
  const boxOf = (id: string): string => {
    const group = groups.get(id);
    return group === undefined ? id : `group ${group}`;
  };
  const box = ({ id }: { readonly id: string }): Box => ({ id, ...nodeSize });
  const insides = new Map(
    [...Map.groupBy(nodes, ({ id }) => boxOf(id))].flatMap(([id, members]) =>
      members.every((member) => member.id === id) ? [] : [[id, layered(members.map(box), edges)]],
    ),
  );
  const boxes = new Map(nodes.map((node): [string, Box] => [boxOf(node.id), box(node)]));
  const whole = layered(
    [...boxes].map(([id, single]) => paddedBox(id, insides.get(id)) ?? single),
    edges.map(({ from, to }) => ({ from: boxOf(from), to: boxOf(to) })),
  );
  return new Map(
    nodes.map(({ id }): [string, Position] => {
      const { x, y } = whole.positions.get(boxOf(id)) ?? origin;
      const inside = insides.get(boxOf(id))?.positions.get(id);
      if (inside === undefined) return [id, { x, y }];
      return [id, { x: x + groupPadding.side + inside.x, y: y + groupPadding.top + inside.y }];
    }),
  );
}

const origin: Position = { x: 0, y: 0 };

function paddedBox(id: string, inside: Size | undefined): Box | undefined {
  if (inside === undefined) return undefined;
  const { side, top } = groupPadding;
  return { id, width: inside.width + 2 * side, height: inside.height + top + side };
}

/** A way, from left to right, whichever way its edges lead. */
export function wayLayout({ nodes }: Outline): Positions {
  return new Map(nodes.map(({ id, hop }) => [id, { x: hop * pitch.x, y: 0 }]));
}

/**
 * Places for a picture that others came before: whatever was there stays where it was, and what is new goes where the
 * layout has it, moved like its neighbours and down to the first place that is free.
 */
export function keepPositions(before: Positions, ideal: Positions, edges: Outline["edges"]): Positions {
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

function neighboursOf(edges: Outline["edges"]): ReadonlyMap<string, readonly string[]> {
  const neighbours = new Map<string, string[]>();
  const add = (id: string, other: string): void => {
    const known = neighbours.get(id);
    if (known === undefined) neighbours.set(id, [other]);
    else known.push(other);
  };
  for (const { from, to } of edges) {
    add(from, to);
    add(to, from);
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
