import { expect } from "vitest";

/** Asks again until the answer is right: for what comes over a network, on a machine that may be busy. */
export function eventually<T>(ask: () => T | Promise<T>): ReturnType<typeof expect.poll<T>> {
  return expect.poll(ask, { timeout: 20_000, interval: 20 });
}
