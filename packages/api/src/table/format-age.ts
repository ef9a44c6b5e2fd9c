const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const yearMs = 365 * dayMs;

/** A unit, the next smaller one, and up to where both are shown, and the unit alone. */
const steps = [
  { unitMs: secondMs, letter: "s", bothBelowMs: 0, belowMs: 2 * minuteMs },
  {
    unitMs: minuteMs,
    letter: "m",
    smallerMs: secondMs,
    smaller: "s",
    bothBelowMs: 10 * minuteMs,
    belowMs: 3 * hourMs,
  },
  {
    unitMs: hourMs,
    letter: "h",
    smallerMs: minuteMs,
    smaller: "m",
    bothBelowMs: 8 * hourMs,
    belowMs: 2 * dayMs,
  },
  {
    unitMs: dayMs,
    letter: "d",
    smallerMs: hourMs,
    smaller: "h",
    bothBelowMs: 8 * dayMs,
    belowMs: 2 * yearMs,
  },
  {
    unitMs: yearMs,
    letter: "y",
    smallerMs: dayMs,
    smaller: "d",
    bothBelowMs: 8 * yearMs,
    belowMs: Number.POSITIVE_INFINITY,
  },
] as const;

/** A duration as kubectl writes it: `5s`, `3m2s`, `4h`, `12d`, `2y`; two units while the second one still matters. */
export function formatAge(durationMs: number): string {
  // Clocks differ by a little; a whole second ahead is more than that.
  if (durationMs <= -2 * secondMs || Number.isNaN(durationMs)) return "<invalid>";
  const elapsedMs = Math.max(0, durationMs);
  const step = steps.find(({ belowMs }) => elapsedMs < belowMs) ?? steps[steps.length - 1];
  if (step === undefined) return "<invalid>";
  const whole = `${Math.floor(elapsedMs / step.unitMs)}${step.letter}`;
  if (!("smaller" in step) || elapsedMs >= step.bothBelowMs) return whole;
  const rest = Math.floor((elapsedMs % step.unitMs) / step.smallerMs);
  return rest === 0 ? whole : `${whole}${rest}${step.smaller}`;
}
