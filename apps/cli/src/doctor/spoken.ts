const units = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1_000],
] as const;

/** `3 days`, `1 hour`, `40 seconds`: as people say it, and no more exact. */
export function durationText(ms: number): string {
  const [unit, size] = units.find(([, each]) => ms >= each) ?? (["second", 1_000] as const);
  return counted(Math.max(1, Math.floor(ms / size)), unit);
}

/** `1 agent`, `3 agents`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

const shownNames = 10;

/** `a, b and c`; of many, the first ten and how many more there are. */
export function listed(names: readonly string[]): string {
  const shown = names.slice(0, shownNames);
  const more = names.length - shown.length;
  const all = more > 0 ? [...shown, `${more} more`] : shown;
  return all.length < 2 ? all.join("") : `${all.slice(0, -1).join(", ")} and ${all.at(-1)}`;
}
