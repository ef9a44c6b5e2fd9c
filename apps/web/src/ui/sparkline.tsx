import type { ReactNode } from "react";

import { sparkPoints } from "./spark-points.ts";

export interface SparklineProps {
  /** The newest last. */
  readonly values: readonly number[];
  /** How many there could be: fewer begin further to the right. */
  readonly capacity: number;
  /** What it shows, in words: the picture has none. */
  readonly label: string;
}

const size = { width: 80, height: 16 };

/** A line so small that it tells no more than whether something is as it was. */
export function Sparkline({ values, capacity, label }: SparklineProps): ReactNode {
  if (values.length < 2) return null;
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size.width} ${size.height}`}
      className="h-4 w-20 shrink-0 text-accent"
    >
      <polyline
        points={sparkPoints(values, { ...size, capacity })}
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
        strokeLinejoin="round"
      />
    </svg>
  );
}
