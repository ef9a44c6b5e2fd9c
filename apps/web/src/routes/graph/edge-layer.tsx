import { ViewportPortal } from "@xyflow/react";
import { memo, type ReactNode } from "react";

import type { DrawnEdges } from "../../graph/edge-curves.ts";
import { cleanText } from "../../text/clean-text.ts";

/** The edges of a picture, behind its nodes. Those who cannot see them have them in the table. */
export const EdgeLayer = memo(function EdgeLayer({ edges }: { edges: DrawnEdges }): ReactNode {
  return (
    <ViewportPortal>
      <svg aria-hidden="true" className="graph-edges">
        {edges.curves.map(({ look, outline }) => (
          <path key={look} className={`graph-edge ${look}`} d={outline} />
        ))}
        {edges.labels.map(({ id, text, x, y }) => (
          <text key={id} x={x} y={y} dy="0.35em">
            {cleanText(text, 60)}
          </text>
        ))}
      </svg>
    </ViewportPortal>
  );
});
