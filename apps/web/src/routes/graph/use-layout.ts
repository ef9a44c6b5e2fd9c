import { useState } from "react";

import { anchored, keepPositions, layeredLayout, wayLayout, type Positions } from "../../graph/layout.ts";
import type { Picture } from "../../graph/picture.ts";

export interface LayoutOptions {
  /** Of what it is the picture: of another, everything gets another place. */
  readonly of: string;
  readonly isWay: boolean;
}

interface Laid {
  readonly positions: Positions;
  readonly picture: Picture;
  /** Of which focus and groups: another begins anew. */
  readonly of: string;
}

/** Where nodes are drawn: in layers, and from then on where they were. */
export function useLayout(
  picture: Picture,
  groups: ReadonlyMap<string, string>,
  { of, isWay }: LayoutOptions,
): Positions {
  const [before, setBefore] = useState<Laid>();
  if (before?.of === of && before.picture === picture) return before.positions;
  const known = before?.of === of ? before.positions : undefined;
  const isWhole = known !== undefined && picture.nodes.every(({ id }) => known.has(id));
  const positions = isWhole ? known : places(picture, isWay ? undefined : groups, known);
  setBefore({ of, picture, positions });
  return positions;
}

/** Without groups, of a way. */
function places(
  picture: Picture,
  groups: ReadonlyMap<string, string> | undefined,
  known: Positions | undefined,
): Positions {
  const start = performance.now();
  const ideal = groups === undefined ? wayLayout(picture) : layeredLayout(picture, groups);
  performance.measure("graph layout", { start, detail: picture.nodes.length });
  const [middle] = picture.nodes;
  const placed = middle === undefined ? ideal : anchored(ideal, middle.id, { x: 0, y: 0 });
  return known === undefined ? placed : keepPositions(known, placed, picture.edges);
}
