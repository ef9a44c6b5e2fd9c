import { useReactFlow, useStore, ViewportPortal, type ReactFlowState } from "@xyflow/react";
import { useMemo, type MouseEvent, type ReactNode } from "react";

import { farShapes, nodeAt } from "../../graph/far-shapes.ts";
import type { Positions } from "../../graph/layout.ts";
import type { Picture } from "../../graph/picture.ts";

/** Smaller than that, letters of cards are less than five pixels high. */
const farZoom = 0.4;
/** So few are cards at any size: they cost nothing, and can be reached by keys. */
const fewNodes = 200;

const isFarOff = ({ transform: [, , zoom] }: ReactFlowState): boolean => zoom < farZoom;

/** Whether a picture is looked at from so far that its nodes are outlines and no cards. */
export function useFar({ nodes }: Picture): boolean {
  return useStore(isFarOff) && nodes.length > fewNodes;
}

interface FarLayerProps {
  readonly picture: Picture;
  readonly positions: Positions;
  readonly peeked: string | undefined;
}

/** The nodes of a large picture, seen from afar. Those who cannot see them have them in the table. */
export function FarLayer({ picture, positions, peeked }: FarLayerProps): ReactNode {
  const shapes = useMemo(() => farShapes(picture, positions, peeked), [picture, positions, peeked]);
  return (
    <ViewportPortal>
      <svg aria-hidden="true" className="graph-far">
        {shapes.map(({ look, outline }) => (
          <path key={look} className={look} d={outline} />
        ))}
      </svg>
    </ViewportPortal>
  );
}

/** What a click on the picture means where nodes are outlines: the node that is drawn there. */
export function useFarClick(positions: Positions, onNode: (id: string) => void): (event: MouseEvent) => void {
  const flow = useReactFlow();
  return ({ clientX: x, clientY: y }) => {
    const id = nodeAt(positions, flow.screenToFlowPosition({ x, y }));
    if (id !== undefined) onNode(id);
  };
}
