import { useId, useMemo, type ReactNode } from "react";

import { beforeLastChange, stepInTime, timeAxis, type TimeAxis } from "../../graph/time-axis.ts";
import { formatTime } from "../../text/time.ts";
import { Button } from "../../ui/button.tsx";
import { useKeys } from "../../ui/keys.ts";
import { usePreferences } from "../../ui/preferences.ts";

export interface TimeSliderProps {
  readonly axis: TimeAxis;
  /** Undefined is now. */
  readonly atMs: number | undefined;
  /** The earlier time to compare with. */
  readonly sinceMs: number | undefined;
  readonly onAt: (atMs: number | undefined) => void;
  readonly onSince: (sinceMs: number | undefined) => void;
}

/** The time that is kept, with a bar for what has changed in each part of it, and two handles. */
export function TimeSlider({ axis, atMs, sinceMs, onAt, onSince }: TimeSliderProps): ReactNode {
  const { timeZone } = usePreferences();
  const keys = useMemo(
    () => [
      { keys: "[", does: "Go back to the change before", run: () => onAt(stepInTime(axis, atMs, "back")) },
      { keys: "]", does: "Go on to the next change", run: () => onAt(stepInTime(axis, atMs, "forward")) },
      { keys: "n", does: "Back to now", run: () => onAt(undefined) },
    ],
    [axis, atMs, onAt],
  );
  useKeys(keys);
  return (
    <section aria-label="Time" className="border-t border-border px-3 py-1.5">
      <div className="flex flex-wrap items-center gap-2 text-xs">
        <Button onClick={() => onAt(stepInTime(axis, atMs, "back"))} aria-label="The change before">
          [
        </Button>
        <Button
          disabled={atMs === undefined}
          onClick={() => onAt(stepInTime(axis, atMs, "forward"))}
          aria-label="The next change"
        >
          ]
        </Button>
        <span className="text-muted">
          {formatTime(axis.fromMs, timeZone)} – now; higher is more change, hatched was not observed
        </span>
        {sinceMs === undefined ? (
          <Button look="link" onClick={() => onSince(beforeLastChange(axis, atMs))}>
            Compare two times
          </Button>
        ) : (
          <Button look="link" onClick={() => onSince(undefined)}>
            Compare no more
          </Button>
        )}
      </div>
      <Bars axis={axis} atMs={atMs} sinceMs={sinceMs} />
      <Handle
        label="As of"
        axis={axis}
        valueMs={atMs ?? axis.toMs}
        text={atMs === undefined ? "now" : formatTime(atMs, timeZone)}
        onValue={(valueMs) => onAt(valueMs >= axis.toMs ? undefined : valueMs)}
      />
      {sinceMs !== undefined && (
        <Handle
          label="Compared with"
          axis={axis}
          valueMs={sinceMs}
          text={formatTime(sinceMs, timeZone)}
          onValue={(valueMs) => onSince(Math.min(valueMs, (atMs ?? axis.toMs) - 1))}
        />
      )}
    </section>
  );
}

function Bars({ axis, atMs, sinceMs }: Pick<TimeSliderProps, "axis" | "atMs" | "sinceMs">): ReactNode {
  const hatch = useId();
  const place = (timeMs: number): number =>
    ((timeMs - axis.fromMs) / Math.max(1, axis.toMs - axis.fromMs)) * 1_000;
  return (
    <svg
      viewBox="0 0 1000 40"
      preserveAspectRatio="none"
      className="mt-1 block h-8 w-full bg-surface"
      role="img"
      aria-label={`${axis.bars.length} intervals with changes, ${axis.gaps.length} that were not all observed`}
    >
      <defs>
        <pattern id={hatch} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <rect width="2" height="6" className="fill-border" />
        </pattern>
      </defs>
      {axis.gaps.map(({ x, width }) => (
        <rect key={x} x={x * 1_000} y="0" width={width * 1_000} height="40" fill={`url(#${hatch})`} />
      ))}
      {axis.bars.map(({ atMs: barMs, x, width, height, title }) => (
        <rect
          key={barMs}
          x={x * 1_000}
          y={40 - Math.max(3, height * 38)}
          width={Math.max(1.5, width * 1_000 - 1)}
          height={Math.max(3, height * 38)}
          className="fill-accent"
        >
          <title>{title}</title>
        </rect>
      ))}
      {[atMs, sinceMs].map(
        (timeMs) =>
          timeMs !== undefined && (
            <rect key={timeMs} x={place(timeMs) - 1} y="0" width="2" height="40" className="fill-unknown" />
          ),
      )}
    </svg>
  );
}

interface HandleProps {
  readonly label: string;
  readonly axis: TimeAxis;
  readonly valueMs: number;
  readonly text: string;
  readonly onValue: (valueMs: number) => void;
}

/** So many places on the axis. */
const places = 1_000;

function Handle({ label, axis, valueMs, text, onValue }: HandleProps): ReactNode {
  const id = useId();
  const lengthMs = Math.max(1, axis.toMs - axis.fromMs);
  return (
    <div className="text-xs">
      <div className="flex justify-between">
        <label htmlFor={id} className="text-muted">
          {label}
        </label>
        <output className="font-mono">{text}</output>
      </div>
      <input
        id={id}
        type="range"
        className="-mx-2 block h-6 w-[calc(100%+1rem)] accent-(--accent)"
        min={0}
        max={places}
        value={Math.round(((valueMs - axis.fromMs) / lengthMs) * places)}
        aria-valuetext={text}
        onChange={({ target }) =>
          onValue(Math.round(axis.fromMs + (Number(target.value) / places) * lengthMs))
        }
      />
    </div>
  );
}

/** The axis of a timeline, once for each. */
export function useTimeAxis(timeline: Parameters<typeof timeAxis>[0] | undefined): TimeAxis | undefined {
  return useMemo(() => (timeline === undefined ? undefined : timeAxis(timeline)), [timeline]);
}
