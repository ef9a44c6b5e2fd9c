import type { Health, Verdict } from "../verdict.ts";

/**
 * One thing in a status that tells of health. Several are weighed against each other: a weak one counts only if nothing
 * else says more.
 */
export interface Sign {
  readonly verdict: Verdict;
  readonly isWeak: boolean;
}

export const strong = (verdict: Verdict): Sign => ({ verdict, isWeak: false });
export const weak = (verdict: Verdict): Sign => ({ verdict, isWeak: true });

/** Rest explains everything else that is odd about an object; a fault that is named outweighs work under way. */
const order: readonly (readonly [Health, isWeak: boolean])[] = [
  ["Suspended", false],
  ["Degraded", false],
  ["Missing", false],
  ["Progressing", false],
  ["Unknown", false],
  ["Progressing", true],
  ["Degraded", true],
  ["Healthy", false],
  ["Healthy", true],
];

/** The verdict of the sign that weighs most, the first of equals; undefined without any. */
export function weigh(signs: readonly Sign[]): Verdict | undefined {
  for (const [health, isWeak] of order) {
    const found = signs.find((sign) => sign.verdict.health === health && sign.isWeak === isWeak);
    if (found !== undefined) return found.verdict;
  }
  return undefined;
}
