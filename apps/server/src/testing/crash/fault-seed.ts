import { randomInt } from "node:crypto";

/** Choose one with FAULT_SEED to see the same faults again. */
export const faultSeed = Number(process.env["FAULT_SEED"] ?? randomInt(1_000_000));
