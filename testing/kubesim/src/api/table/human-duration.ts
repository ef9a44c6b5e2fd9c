const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;
const year = 365 * day;

/** A duration as short as `kubectl` shows ages: the larger the unit, the less of what follows it. */
export function humanDuration(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 2 * minute) return `${seconds}s`;
  if (seconds < 10 * minute) return joined(seconds, [minute, "m"], [1, "s"]);
  if (seconds < 3 * hour) return `${Math.floor(seconds / minute)}m`;
  if (seconds < 8 * hour) return joined(seconds, [hour, "h"], [minute, "m"]);
  if (seconds < 2 * day) return `${Math.floor(seconds / hour)}h`;
  if (seconds < 8 * day) return joined(seconds, [day, "d"], [hour, "h"]);
  if (seconds < 2 * year) return `${Math.floor(seconds / day)}d`;
  if (seconds < 8 * year) return joined(seconds, [year, "y"], [day, "d"]);
  return `${Math.floor(seconds / year)}y`;
}

/** How long ago a timestamp was; what is missing or unreadable is `<unknown>`. */
export function age(timestamp: unknown, nowMs: number): string {
  const ms = typeof timestamp === "string" ? Date.parse(timestamp) : Number.NaN;
  return Number.isNaN(ms) ? "<unknown>" : humanDuration(nowMs - ms);
}

type Unit = readonly [seconds: number, letter: string];

function joined(seconds: number, [large, largeLetter]: Unit, [small, smallLetter]: Unit): string {
  const head = `${Math.floor(seconds / large)}${largeLetter}`;
  const rest = Math.floor((seconds % large) / small);
  return rest === 0 ? head : `${head}${rest}${smallLetter}`;
}
