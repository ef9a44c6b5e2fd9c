import { randomInt } from "node:crypto";

import type { Random } from "@bowline/core";

/** Choose one with FAULT_SEED to see the same faults again. */
export const faultSeed = Number(process.env["FAULT_SEED"] ?? randomInt(1_000_000));

/** The same numbers for the same seed (the splitmix32 generator). */
export function seededRandom(seed: number): Random {
  let state = seed | 0;
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
}
