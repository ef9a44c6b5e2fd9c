import { useEffect, useMemo, useState } from "react";

import {
  anchored,
  columnLayout,
  keepPositions,
  mostLaidOut,
  wayLayout,
  type Positions,
} from "../../graph/layout.ts";
import type { Picture } from "../../graph/picture.ts";
import { layoutWorker } from "./layout-worker.ts";

export interface Layout {
  readonly positions: Positions;
  /** Whether nothing will move any more until something comes. */
  readonly isSettled: boolean;
}

export interface LayoutOptions {
  /** Of what it is the picture: of another, everything gets another place. */
  readonly of: string;
  readonly isWay: boolean;
}

interface Laid {
  readonly positions: Positions;
  /** Of which focus and groups: another begins anew. */
  readonly of: string;
}

const origin = { x: 0, y: 0 };

/** Where nodes are drawn: in columns at once, in layers as soon as they are found, and then where they were. */
export function useLayout(
  picture: Picture,
  groups: ReadonlyMap<string, string>,
  { of, isWay }: LayoutOptions,
): Layout {
  const [laid, setLaid] = useState<Laid>();
  const known = laid?.of === of ? laid.positions : undefined;
  const isWhole = known !== undefined && picture.nodes.every(({ id }) => known.has(id));
  const [middle] = picture.nodes;
  const quick = useMemo(() => {
    const columns = isWay ? wayLayout(picture) : columnLayout(picture);
    return middle === undefined ? columns : anchored(columns, middle.id, origin);
  }, [picture, middle, isWay]);
  useEffect(() => {
    if (isWhole || middle === undefined) return undefined;
    let isOver = false;
    const take = (ideal: Positions): void => {
      if (isOver) return;
      const placed = anchored(ideal, middle.id, origin);
      setLaid({ of, positions: known === undefined ? placed : keepPositions(known, placed, picture.edges) });
    };
    if (isWay || picture.nodes.length > mostLaidOut) {
      take(quick);
      return undefined;
    }
    const layOut = async (): Promise<void> => {
      const startedMs = performance.now();
      try {
        const ideal = await layoutWorker.layout(picture, groups);
        performance.measure("graph layout", { start: startedMs, detail: picture.nodes.length });
        take(ideal);
      } catch {
        // What cannot be laid out stays in columns.
        take(quick);
      }
    };
    void layOut();
    return () => {
      isOver = true;
    };
  }, [picture, groups, of, isWay, known, isWhole, middle, quick]);
  if (known === undefined) return { positions: quick, isSettled: false };
  return { positions: isWhole ? known : keepPositions(known, quick, picture.edges), isSettled: isWhole };
}
