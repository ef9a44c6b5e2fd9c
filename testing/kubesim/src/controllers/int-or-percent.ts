import type { IntOrPercent } from "./kinds/meta.ts";

/** A count as it is, a percentage as that share of `total`. What cannot be read counts as 0. */
export function resolveIntOrPercent(value: IntOrPercent, total: number, rounding: "up" | "down"): number {
  if (typeof value === "number") return value;
  const match = /^(\d+)%$/.exec(value);
  if (match === null) return /^\d+$/.test(value) ? Number(value) : 0;
  const share = (Number(match[1]) * total) / 100;
  return rounding === "up" ? Math.ceil(share) : Math.floor(share);
}
