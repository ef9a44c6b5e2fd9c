import type { EventRecord } from "@bowline/api";
import type { ReactNode } from "react";

import { useNowMs } from "../../live/now.ts";
import { eventBuckets, tallest } from "./histogram.ts";

const heightPx = 40;
const barPx = 8;
const count = 60;

export interface HistogramProps {
  readonly events: ReadonlyMap<string, EventRecord>;
  readonly spanMs: number;
  /** Completes "Events over …". */
  readonly span: string;
}

/** When events last happened, as bars; the numbers for those who cannot see them. */
export function Histogram({ events, spanMs, span }: HistogramProps): ReactNode {
  const nowMs = useNowMs();
  const buckets = eventBuckets(events.values(), { nowMs, spanMs, count });
  const top = tallest(buckets);
  const warnings = buckets.reduce((sum, { warning }) => sum + warning, 0);
  const normals = buckets.reduce((sum, { normal }) => sum + normal, 0);
  return (
    <figure className="px-4 py-2">
      <svg
        viewBox={`0 0 ${count * barPx} ${heightPx}`}
        preserveAspectRatio="none"
        className="h-10 w-full"
        role="img"
        aria-label={`Events over the last ${span}: ${warnings} warnings, ${normals} normal; at most ${top} in a bar.`}
      >
        {buckets.map(({ startMs, normal, warning }, index) => {
          const x = index * barPx;
          const warningPx = (warning / top) * heightPx;
          const normalPx = (normal / top) * heightPx;
          return (
            <g key={startMs}>
              <title>{`${new Date(startMs).toLocaleTimeString()}: ${warning} warnings, ${normal} normal`}</title>
              <rect x={x} y={0} width={barPx} height={heightPx} fill="transparent" />
              <rect
                x={x}
                y={heightPx - normalPx}
                width={barPx - 1}
                height={normalPx}
                className="fill-control"
              />
              <rect
                x={x}
                y={heightPx - normalPx - warningPx}
                width={barPx - 1}
                height={warningPx}
                className="fill-missing"
              />
            </g>
          );
        })}
        <line x1="0" x2={count * barPx} y1={heightPx} y2={heightPx} className="stroke-border" />
      </svg>
      <figcaption className="flex justify-between text-xs text-muted">
        <span>{span} ago</span>
        <span>
          {warnings} warnings, {normals} normal
        </span>
        <span>now</span>
      </figcaption>
    </figure>
  );
}
