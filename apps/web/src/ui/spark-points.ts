export interface SparkSize {
  readonly width: number;
  readonly height: number;
  /** How many values fill the width. */
  readonly capacity: number;
}

/** Room for the stroke above and below. */
const margin = 1.5;

/**
 * The points of a line, as SVG has them; the newest value is at the right edge. The bottom is 0, so that a line that
 * trembles between 20 and 21 is a flat one.
 */
export function sparkPoints(values: readonly number[], { width, height, capacity }: SparkSize): string {
  const shown = values.slice(-capacity);
  const top = Math.max(1, ...shown);
  const stepX = width / Math.max(1, capacity - 1);
  return shown
    .map((value, index) => {
      const x = width - (shown.length - 1 - index) * stepX;
      const y = height - margin - (Math.max(0, value) / top) * (height - 2 * margin);
      return `${round(x)},${round(y)}`;
    })
    .join(" ");
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
