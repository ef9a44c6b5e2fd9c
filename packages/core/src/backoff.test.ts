import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { Backoff, backoffDelayMs, fullJitterBackoff, watchBackoff } from "./backoff.ts";
import { ManualClock } from "./testing/manual-clock.ts";

const noChance = (): number => 0;

describe("backoffDelayMs", () => {
  test("grows by the factor up to the limit", () => {
    const delays = [0, 1, 2, 3, 4, 5, 6, 7].map((attempt) => backoffDelayMs(attempt, watchBackoff, noChance));
    expect(delays).toEqual([800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000]);
  });

  test("chance takes away at most the jitter's share", () => {
    const almostOne = (): number => 1 - Number.EPSILON;
    expect(backoffDelayMs(1, watchBackoff, almostOne)).toBe(800);
    expect(backoffDelayMs(1, fullJitterBackoff, almostOne)).toBe(0);
    expect(backoffDelayMs(1, fullJitterBackoff, () => 0.25)).toBe(1200);
  });

  test("is a whole number from 0 to the limit for any policy, attempt and chance", () => {
    const policy = fc.record({
      baseMs: fc.nat(100_000),
      maxMs: fc.nat(100_000),
      factor: fc.double({ min: 1, max: 1000, noNaN: true }),
      jitter: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(fc.integer(), policy, chance, (attempt, policy, chance) => {
        const delayMs = backoffDelayMs(attempt, policy, () => chance);
        expect(Number.isInteger(delayMs)).toBe(true);
        expect(delayMs).toBeGreaterThanOrEqual(0);
        expect(delayMs).toBeLessThanOrEqual(policy.maxMs);
      }),
    );
  });
});

describe("Backoff", () => {
  test("grows with every failure in a row", () => {
    const backoff = new Backoff(watchBackoff, new ManualClock(), noChance);
    expect([backoff.nextDelayMs(), backoff.nextDelayMs(), backoff.nextDelayMs()]).toEqual([800, 1600, 3200]);
    expect(backoff.attempt).toBe(3);
  });

  test("starts again after a healthy time, which begins when the delay ends", async () => {
    const clock = new ManualClock();
    const backoff = new Backoff(watchBackoff, clock, noChance);
    await clock.advance(backoff.nextDelayMs() + watchBackoff.resetAfterMs - 1);
    expect(backoff.nextDelayMs()).toBe(1600);
    await clock.advance(1600 + watchBackoff.resetAfterMs);
    expect(backoff.nextDelayMs()).toBe(800);
  });

  test("starts again when told", () => {
    const backoff = new Backoff(watchBackoff, new ManualClock(), noChance);
    backoff.nextDelayMs();
    backoff.reset();
    expect(backoff.nextDelayMs()).toBe(800);
  });
});
