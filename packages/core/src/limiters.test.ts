import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { Gate, RateTable, TokenBucket } from "./limiters.ts";
import { ManualClock } from "./testing/index.ts";

describe("TokenBucket", () => {
  test.each([
    { perSecond: 3, burst: 7 },
    { perSecond: 1_000, burst: 1 },
    { perSecond: 0.1, burst: 2 },
  ])("lets through a burst and then $perSecond per second", ({ perSecond, burst }) => {
    const bucket = new TokenBucket({ perSecond, burst });
    for (let taken = 0; taken < burst; taken += 1) expect(bucket.take(5)).toBe(0);
    const waitMs = bucket.take(5);
    expect(waitMs).toBeCloseTo(1_000 / perSecond);
    expect(bucket.take(5)).toBe(waitMs);
    expect(bucket.take(5 + waitMs)).toBe(0);
    expect(bucket.take(5 + waitMs)).toBeGreaterThan(0);
  });

  test("saves no more than its burst", () => {
    const bucket = new TokenBucket({ perSecond: 10, burst: 2 });
    expect([0, 0, 0].map(() => bucket.take(1e9) === 0)).toEqual([true, true, false]);
  });

  test("gives out turns in the order of asking: a burst at once, then one at a time", () => {
    const bucket = new TokenBucket({ perSecond: 10, burst: 3 });
    expect([0, 0, 0, 0, 0].map((nowMs) => bucket.reserve(nowMs))).toEqual([0, 0, 0, 100, 200]);
    expect(bucket.reserve(10_000)).toBe(0);
  });

  test("never lets more through than burst plus rate, in any window", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 50 }),
        fc.integer({ min: 1, max: 20 }),
        fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 100 }),
        (perSecond, burst, pausesMs) => {
          const bucket = new TokenBucket({ perSecond, burst });
          let nowMs = 0;
          const permits = pausesMs.map((pauseMs) => {
            nowMs += pauseMs;
            return nowMs + bucket.reserve(nowMs);
          });
          for (const [index, startMs] of permits.entries()) {
            const inSecond = permits.slice(index).filter((atMs) => atMs - startMs < 1000).length;
            expect(inSecond).toBeLessThanOrEqual(burst + perSecond);
          }
        },
      ),
    );
  });

  test("refuses a limit that would stop everything", () => {
    expect(() => new TokenBucket({ perSecond: 0, burst: 1 })).toThrow("perSecond above 0");
  });
});

describe("RateTable", () => {
  test("counts each apart, and does not grow for ever", async () => {
    const clock = new ManualClock();
    const table = new RateTable({ perSecond: 1, burst: 1 }, clock);
    expect([table.take("a"), table.take("b")]).toEqual([0, 0]);
    expect(table.take("a")).toBe(1_000);
    await clock.advance(400);
    expect(table.take("a")).toBeCloseTo(600);
    for (let count = 0; count < 10_000; count += 1) table.take(`other-${count}`);
    expect(table.take("a")).toBe(0);
  });

  test("forgets the one that was quiet longest", () => {
    const table = new RateTable({ perSecond: 1, burst: 1 }, new ManualClock(), 2);
    expect([table.take("a"), table.take("b"), table.take("a"), table.take("c")]).toEqual([0, 0, 1_000, 0]);
    expect(table.take("a")).toBe(1_000);
    expect(table.take("b")).toBe(0);
  });
});

test("lets a few work at once, the others in their order, and turns away who is too many", async () => {
  const gate = new Gate({ concurrency: 2, maxWaiting: 2 });
  const started: number[] = [];
  const works = Array.from({ length: 5 }, () => Promise.withResolvers<void>());
  const outcomes = works.map(({ promise }, index) =>
    gate
      .pass(() => {
        started.push(index);
        return promise;
      })
      .then(
        () => "done",
        (error: unknown) => error,
      ),
  );
  expect(await outcomes[4]).toMatchObject({ code: "ServerUnavailable" });
  expect(started).toEqual([0, 1]);
  works[1]?.reject(new Error("failed"));
  await outcomes[1];
  expect(started).toEqual([0, 1, 2]);
  // One that comes when others have changed places still waits.
  const late = gate.pass(() => {
    started.push(5);
    return Promise.resolve();
  });
  expect(started).toEqual([0, 1, 2]);
  for (const { resolve } of works) resolve();
  await late;
  expect(await Promise.all([outcomes[0], outcomes[2], outcomes[3]])).toEqual(["done", "done", "done"]);
  expect(await gate.pass(() => Promise.resolve("later"))).toBe("later");
});
