import { nodeSize, type Positions } from "./layout.ts";
import { edgeWords, type Picture, type PictureEdge } from "./picture.ts";

/** Edges that look alike, as one outline. */
interface EdgeCurves {
  /** `near derived came`, of which each may be missing. */
  readonly look: string;
  /** As the `d` of a path. */
  readonly outline: string;
}

interface EdgeLabel {
  readonly id: string;
  readonly text: string;
  readonly x: number;
  readonly y: number;
}

export interface DrawnEdges {
  readonly curves: readonly EdgeCurves[];
  /** Of the node that is looked at alone: those of all others would cover the picture. */
  readonly labels: readonly EdgeLabel[];
}

/** The edges of a picture: a few outlines, since hundreds of elements take longer than everything else together. */
export function drawnEdges({ edges }: Picture, positions: Positions, peeked: string | undefined): DrawnEdges {
  const looks = Map.groupBy(edges, (edge) => lookOf(edge, peeked));
  return {
    curves: [...looks].map(([look, alike]) => ({
      look,
      outline: alike.map((edge) => outlineOf(curveOf(edge, positions))).join(""),
    })),
    labels: edges.flatMap((edge) => (isNear(edge, peeked) ? labelOf(edge, positions) : [])),
  };
}

function isNear({ from, to }: PictureEdge, peeked: string | undefined): boolean {
  return from === peeked || to === peeked;
}

function lookOf(edge: PictureEdge, peeked: string | undefined): string {
  const words = [isNear(edge, peeked) ? "near" : "", edge.isDerived ? "derived" : "", edge.change ?? ""];
  return words.filter((word) => word !== "").join(" ");
}

/** From the right side of one node to the left side of another. */
interface Curve {
  readonly x: number;
  readonly y: number;
  readonly toX: number;
  readonly toY: number;
  /** How far it goes straight on at both ends. */
  readonly reach: number;
}

const origin = { x: 0, y: 0 };
/** Of an edge that leads back, for the square root of its length. */
const backReach = 6;

function curveOf({ from, to }: PictureEdge, positions: Positions): Curve {
  const [one, other] = [positions.get(from) ?? origin, positions.get(to) ?? origin];
  const [x, toX] = [one.x + nodeSize.width, other.x];
  const middle = nodeSize.height / 2;
  const reach = toX >= x ? (toX - x) / 2 : backReach * Math.sqrt(x - toX);
  return { x, y: one.y + middle, toX, toY: other.y + middle, reach };
}

function outlineOf({ x, y, toX, toY, reach }: Curve): string {
  const points = [x, y, x + reach, y, toX - reach, toY, toX, toY].map((value) => Math.round(value));
  return `M${points.slice(0, 2).join(" ")}C${points.slice(2).join(" ")}`;
}

function labelOf(edge: PictureEdge, positions: Positions): EdgeLabel[] {
  if (edge.type === undefined) return [];
  const { x, y, toX, toY } = curveOf(edge, positions);
  const times = edge.count > 1 ? ` × ${edge.count}` : "";
  // Curves are the same from both ends.
  return [{ id: edge.id, text: `${edgeWords(edge.type)}${times}`, x: (x + toX) / 2, y: (y + toY) / 2 }];
}
