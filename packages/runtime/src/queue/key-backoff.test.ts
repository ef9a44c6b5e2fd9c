import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { KeyBackoff, reconcileBackoff } from "./key-backoff.ts";

const policy = { baseMs: 100, maxMs: 5000, factor: 2, jitter: 0.5 };
const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe("KeyBackoff", () => {
  test("every delay lies between the bounds of its attempt", () => {
    fc.assert(
      fc.property(fc.array(chance, { minLength: 1, maxLength: 30 }), (chances) => {
        let drawn = 0;
        const backoff = new KeyBackoff({ policy, random: () => chances[drawn++] ?? 0 });
        for (const [index] of chances.entries()) {
          const delayMs = backoff.failed("a");
          const longestMs = Math.min(policy.maxMs, policy.baseMs * policy.factor ** index);
          expect(delayMs).toBeLessThanOrEqual(longestMs);
          expect(delayMs).toBeGreaterThanOrEqual(Math.floor(longestMs * (1 - policy.jitter)));
        }
      }),
    );
  });

  test("takes over a count that somebody else kept, and never goes back", () => {
    const backoff = new KeyBackoff({ policy, random: () => 0 });
    expect(backoff.failed("a", 4)).toBe(800);
    expect(backoff.failures("a")).toBe(4);
    expect(backoff.failed("a", 2)).toBe(1600);
    expect(backoff.failures("a")).toBe(5);
  });

  test("forgets those that have not failed for longest, when there are too many", () => {
    const backoff = new KeyBackoff({ policy, random: () => 0, capacity: 10 });
    backoff.failed("often");
    for (let index = 0; index < 1000; index += 1) {
      backoff.failed(`once-${index}`);
      if (index % 3 === 0) backoff.failed("often");
      expect(backoff.size).toBeLessThanOrEqual(10);
    }
    expect(backoff.failures("often")).toBe(335);
    expect(backoff.failures("once-1")).toBe(0);
  });

  test("by default 15 attempts take about half an hour", () => {
    const backoff = new KeyBackoff({ policy: reconcileBackoff, random: () => 0 });
    const totalMs = Array.from({ length: 14 }, () => backoff.failed("a")).reduce((sum, ms) => sum + ms, 0);
    expect(totalMs / 60_000).toBeGreaterThan(20);
    expect(totalMs / 60_000).toBeLessThan(40);
  });
});
