export interface Position {
  readonly x: number;
  readonly y: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Something that gets a place. */
export interface Box extends Size {
  readonly id: string;
}

interface Link {
  readonly from: string;
  readonly to: string;
}

/** Where boxes are, by their ids, and what all of them are within, from 0/0 on. */
export interface Layered extends Size {
  readonly positions: ReadonlyMap<string, Position>;
}

/** A box on its way to a place. */
interface Placed extends Box {
  readonly before: Placed[];
  readonly after: Placed[];
  layer: number;
  /** Of its middle. */
  y: number;
}

export const gap = { across: 90, down: 16 } as const;

/** After so many hardly anything moves any more. */
const sweeps = 6;

/**
 * Boxes in layers, from left to right as links lead. Within a layer each goes as near to the middle of its neighbours
 * as the others let it, once seen from the left and once from the right, again and again. Links are not bent around
 * boxes: they are drawn as curves from one end to the other.
 */
export function layered(boxes: readonly Box[], links: readonly Link[]): Layered {
  const all = placedBoxes(boxes, links);
  const linked = all.filter(({ before, after }) => before.length + after.length > 0);
  const layers = layersOf(linked);
  for (const layer of layers) settle(layer);
  for (let sweep = 0; sweep < sweeps; sweep += 1) {
    for (const layer of layers) approach(layer, "before");
    for (const layer of layers.toReversed()) approach(layer, "after");
  }
  const alone = all.filter(({ before, after }) => before.length + after.length === 0);
  return inRows(alone, inColumns(layers));
}

/** Links that close a circle are turned around, so that there is a left and a right. */
function placedBoxes(boxes: readonly Box[], links: readonly Link[]): Placed[] {
  const byId = new Map(
    boxes.map((box): [string, Placed] => [box.id, { ...box, before: [], after: [], layer: 0, y: 0 }]),
  );
  const wanted = new Map([...byId.values()].map((box) => [box, new Set<Placed>()]));
  for (const { from, to } of links) {
    const [one, other] = [byId.get(from), byId.get(to)];
    if (one !== undefined && other !== undefined && one !== other) wanted.get(one)?.add(other);
  }
  const done = new Set<Placed>();
  const onWay = new Set<Placed>();
  const visit = (box: Placed): void => {
    if (done.has(box)) return;
    done.add(box);
    onWay.add(box);
    for (const next of wanted.get(box) ?? []) {
      const [left, right] = onWay.has(next) ? [next, box] : [box, next];
      visit(next);
      if (left.after.includes(right)) continue;
      left.after.push(right);
      right.before.push(left);
    }
    onWay.delete(box);
  };
  for (const box of byId.values()) visit(box);
  return [...byId.values()];
}

/** Each behind all that lead to it, and no further to the left of what it leads to than it has to be. */
function layersOf(boxes: readonly Placed[]): Placed[][] {
  const left = new Map(boxes.map((box) => [box, box.before.length]));
  const order = boxes.filter(({ before }) => before.length === 0);
  for (const box of order) {
    for (const next of box.after) {
      next.layer = Math.max(next.layer, box.layer + 1);
      const open = (left.get(next) ?? 0) - 1;
      left.set(next, open);
      if (open === 0) order.push(next);
    }
  }
  for (const box of order.toReversed()) {
    if (box.after.length > 0) box.layer = Math.min(...box.after.map(({ layer }) => layer)) - 1;
  }
  const layers = Map.groupBy(order, ({ layer }) => layer);
  return [...layers.keys()].toSorted((one, other) => one - other).map((layer) => layers.get(layer) ?? []);
}

/** Orders a layer by where the neighbours on one side are, and goes there. */
function approach(layer: Placed[], side: "before" | "after"): void {
  for (const box of layer) {
    const near = box[side];
    if (near.length > 0) box.y = near.reduce((sum, { y }) => sum + y, 0) / near.length;
  }
  layer.sort((one, other) => one.y - other.y);
  settle(layer);
}

/** Boxes that touch each other and move as one: around the average of where each of them wants the first to be. */
interface Run {
  y: number;
  count: number;
}

/** Moves the boxes of a layer apart, all of them together as little as can be. */
function settle(layer: readonly Placed[]): void {
  const offsets: number[] = [];
  let offset = 0;
  for (const [index, { height }] of layer.entries()) {
    if (index > 0) offset += ((layer[index - 1]?.height ?? 0) + height) / 2 + gap.down;
    offsets.push(offset);
  }
  const runs: Run[] = [];
  for (const [index, { y }] of layer.entries()) {
    let run: Run = { y: y - (offsets[index] ?? 0), count: 1 };
    for (let last = runs.at(-1); last !== undefined && last.y > run.y; last = runs.at(-1)) {
      runs.pop();
      const count = last.count + run.count;
      run = { y: (last.y * last.count + run.y * run.count) / count, count };
    }
    runs.push(run);
  }
  const firsts = runs.flatMap(({ y, count }) => Array.from({ length: count }, () => y));
  for (const [index, box] of layer.entries()) box.y = (firsts[index] ?? 0) + (offsets[index] ?? 0);
}

function inColumns(layers: readonly (readonly Placed[])[]): Layered {
  const boxes = layers.flat();
  const top = least(boxes.map(({ y, height }) => y - height / 2));
  const positions = new Map<string, Position>();
  let x = 0;
  for (const layer of layers) {
    const width = Math.max(...layer.map((box) => box.width));
    for (const box of layer) {
      positions.set(box.id, { x: x + (width - box.width) / 2, y: box.y - box.height / 2 - top });
    }
    x += width + gap.across;
  }
  const height = -least(boxes.map((box) => top - box.y - box.height / 2));
  return { positions, width: Math.max(0, x - gap.across), height };
}

/** Boxes without links, below all others, in rows that make the whole about as wide as high. */
function inRows(boxes: readonly Box[], above: Layered): Layered {
  if (boxes.length === 0) return above;
  const area = boxes.reduce((sum, box) => sum + (box.width + gap.down) * (box.height + gap.down), 0);
  const widest = Math.max(above.width, Math.sqrt(area));
  const positions = new Map(above.positions);
  let [x, y, rowHeight, width] = [0, above.height > 0 ? above.height + gap.down : 0, 0, above.width];
  for (const box of boxes) {
    if (x > 0 && x + box.width > widest) [x, y, rowHeight] = [0, y + rowHeight + gap.down, 0];
    positions.set(box.id, { x, y });
    x += box.width + gap.down;
    rowHeight = Math.max(rowHeight, box.height);
    width = Math.max(width, x - gap.down);
  }
  return { positions, width, height: y + rowHeight };
}

function least(values: readonly number[]): number {
  return values.reduce((one, other) => Math.min(one, other), values[0] ?? 0);
}
