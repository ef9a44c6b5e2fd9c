import type { GraphData } from "@bowline/api";

type Timeline = GraphData<"timeline">;

/** A bar of the time slider, in parts of its width and height. */
interface Bar {
  readonly atMs: number;
  readonly x: number;
  readonly width: number;
  readonly height: number;
  readonly title: string;
}

/** A time in which something was not observed. */
interface AxisGap {
  readonly x: number;
  readonly width: number;
}

export interface TimeAxis {
  readonly fromMs: number;
  readonly toMs: number;
  readonly stepMs: number;
  readonly bars: readonly Bar[];
  readonly gaps: readonly AxisGap[];
}

/** The range that is kept, as bars that are as high as much has changed; the highest fills all of the height. */
export function timeAxis({ since, until, stepMs, steps, gaps }: Timeline): TimeAxis {
  const [fromMs, toMs] = [Date.parse(since), Date.parse(until)];
  const lengthMs = Math.max(1, toMs - fromMs);
  const sum = ({ came, changed, went }: Timeline["steps"][number]): number => came + changed + went;
  // Few changes beside very many would be no bar at all: what is seen is the order of magnitude.
  const height = (count: number): number => Math.log1p(count);
  const highest = Math.max(1, ...steps.map((step) => height(sum(step))));
  return {
    fromMs,
    toMs,
    stepMs,
    bars: steps.map((step) => ({
      atMs: Date.parse(step.at),
      x: (Date.parse(step.at) - fromMs) / lengthMs,
      width: stepMs / lengthMs,
      height: height(sum(step)) / highest,
      title: `${step.came} came, ${step.changed} changed, ${step.went} went`,
    })),
    gaps: merged(
      gaps.map(({ from, to }) => [
        (Date.parse(from) - fromMs) / lengthMs,
        (Date.parse(to) - fromMs) / lengthMs,
      ]),
    ),
  };
}

/** Gaps that overlap are one. */
function merged(spans: readonly (readonly [number, number])[]): AxisGap[] {
  const gaps: { x: number; end: number }[] = [];
  for (const [from, to] of spans.toSorted(([one], [other]) => one - other)) {
    const last = gaps.at(-1);
    if (last !== undefined && from <= last.end) last.end = Math.max(last.end, to);
    else if (to > from) gaps.push({ x: from, end: to });
  }
  return gaps.map(({ x, end }) => ({ x, width: end - x }));
}

/** The end of the interval before the last change, or of the one after the next: undefined is now. */
export function stepInTime(
  { bars, toMs, stepMs, fromMs }: TimeAxis,
  atMs: number | undefined,
  direction: "back" | "forward",
): number | undefined {
  const now = atMs ?? toMs;
  // Just before something changed, one sees what was there; at its end, what has become of it.
  const times = [fromMs, ...bars.flatMap((bar) => [bar.atMs - 1, bar.atMs + stepMs])]
    .filter((time) => time >= fromMs && time < toMs)
    .toSorted((one, other) => one - other);
  if (direction === "back") return times.findLast((time) => time < now) ?? fromMs;
  return atMs === undefined ? undefined : times.find((time) => time > now);
}

/** The time to compare with, unless one chooses another: just before the last change. */
export function beforeLastChange({ bars, fromMs, toMs }: TimeAxis, atMs = toMs): number {
  const last = bars.findLast((bar) => bar.atMs < atMs);
  return last === undefined ? fromMs : Math.max(fromMs, last.atMs - 1);
}
