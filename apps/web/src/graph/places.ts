import { anchored, keepPositions, layeredLayout, wayLayout, type Outline, type Positions } from "./layout.ts";

/** What is to get places. It goes to a worker as it is, so it has nothing that is not needed there. */
export interface PlaceOrder {
  readonly outline: Outline;
  /** Names of groups by nodes; undefined for a way, which is one line. */
  readonly groups: ReadonlyMap<string, string> | undefined;
  /** Where nodes were: they stay there. */
  readonly known: Positions | undefined;
}

/** To the worker, and back from it with the same number. */
export interface NumberedOrder extends PlaceOrder {
  readonly number: number;
}

export interface NumberedPlaces {
  readonly number: number;
  readonly positions: Positions;
  readonly tookMs: number;
}

/** So many get places within a picture of the screen; of more, the page would be seen to wait. */
export const mostAtOnce = 500;

/** Where nodes are drawn: in layers around the one in the middle, or where they were. */
export function placesFor({ outline, groups, known }: PlaceOrder): Positions {
  const ideal = groups === undefined ? wayLayout(outline) : layeredLayout(outline, groups);
  const [middle] = outline.nodes;
  const placed = middle === undefined ? ideal : anchored(ideal, middle.id, { x: 0, y: 0 });
  return known === undefined ? placed : keepPositions(known, placed, outline.edges);
}

/** A picture without what is only read. */
export function outlineOf({ nodes, edges }: Outline): Outline {
  return {
    nodes: nodes.map(({ id, hop }) => ({ id, hop })),
    edges: edges.map(({ from, to }) => ({ from, to })),
  };
}
