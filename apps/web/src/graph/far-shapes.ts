import type { Position } from "./layered.ts";
import { nodeSize, type Positions } from "./layout.ts";
import type { Picture, PictureNode } from "./picture.ts";

/** Nodes that look alike from afar, as one outline. */
export interface FarShapes {
  /** `focus`, `peeked` or `troubled`, the first of them that fits; else empty. */
  readonly look: string;
  /** As the `d` of a path. */
  readonly outline: string;
}

/**
 * Nodes where nobody can read a name any more: a few outlines, since thousands of elements would take longer than a
 * picture of the screen. What is in trouble has a stroke through it, so that it is told by more than its colour.
 */
export function farShapes({ nodes }: Picture, positions: Positions, peeked: string | undefined): FarShapes[] {
  const [middle] = nodes;
  const lookOf = ({ id, trouble }: PictureNode): string => {
    if (id === middle?.id) return "focus";
    if (id === peeked) return "peeked";
    return trouble === undefined ? "" : "troubled";
  };
  return [...Map.groupBy(nodes, lookOf)].map(([look, alike]) => ({
    look,
    outline: alike.map(({ id, trouble }) => shapeOf(positions.get(id), trouble !== undefined)).join(""),
  }));
}

function shapeOf(position: Position | undefined, isTroubled: boolean): string {
  if (position === undefined) return "";
  const { width, height } = nodeSize;
  const [x, y] = [Math.round(position.x), Math.round(position.y)];
  const box = `M${x} ${y}h${width}v${height}h${-width}z`;
  return isTroubled ? `${box}l${width} ${height}` : box;
}

/** The node that is drawn at a place. */
export function nodeAt(positions: Positions, { x, y }: Position): string | undefined {
  for (const [id, at] of positions) {
    const isInside = x >= at.x && x <= at.x + nodeSize.width && y >= at.y && y <= at.y + nodeSize.height;
    if (isInside) return id;
  }
  return undefined;
}
