import { BowlineError } from "@bowline/core";

/** The value of a flag such as `--limit 20`. */
export function parseCount(text: string): number {
  const count = /^[0-9]{1,9}$/u.test(text) ? Number(text) : 0;
  if (count > 0) return count;
  throw new BowlineError("InvalidArgument", `«${text.slice(0, 64)}» is not a whole number above zero.`);
}
