import { Readable } from "node:stream";
import { ManualClock } from "@bowline/core/testing";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Transport } from "../transport.ts";
import { RateLimitedTransport } from "./rate-limited-transport.ts";
import { TokenBucket } from "./token-bucket.ts";

describe("TokenBucket", () => {
  it("lets a burst through and then one at a time", () => {
    const bucket = new TokenBucket({ requestsPerSecond: 10, burst: 3 });
    expect([0, 0, 0, 0, 0].map((nowMs) => bucket.takeMs(nowMs))).toEqual([0, 0, 0, 100, 200]);
    expect(bucket.takeMs(10_000)).toBe(0);
  });

  it("never lets more through than burst plus rate, in any window", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 50 }),
        fc.integer({ min: 1, max: 20 }),
        fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 100 }),
        (requestsPerSecond, burst, pausesMs) => {
          const bucket = new TokenBucket({ requestsPerSecond, burst });
          let nowMs = 0;
          const permits = pausesMs.map((pauseMs) => {
            nowMs += pauseMs;
            return nowMs + bucket.takeMs(nowMs);
          });
          for (const [index, startMs] of permits.entries()) {
            const inSecond = permits.slice(index).filter((atMs) => atMs - startMs < 1000).length;
            expect(inSecond).toBeLessThanOrEqual(burst + requestsPerSecond);
          }
        },
      ),
    );
  });

  it("refuses a limit that would stop everything", () => {
    expect(() => new TokenBucket({ requestsPerSecond: 0, burst: 1 })).toThrow("requestsPerSecond above 0");
  });
});

describe("RateLimitedTransport", () => {
  it("holds back what is above the rate, and gives up when cancelled", async () => {
    let sent = 0;
    const inner: Transport = {
      detectsDeadPeer: false,
      request: () => {
        sent += 1;
        return Promise.resolve({ status: 200, headers: {}, body: Readable.from([]) });
      },
      close: () => Promise.resolve(),
    };
    const clock = new ManualClock();
    const transport = new RateLimitedTransport(inner, { requestsPerSecond: 1, burst: 2 }, clock);
    const abort = new AbortController();
    const all = [1, 2, 3].map(() => transport.request({ method: "GET", path: "/" }));
    const cancelled = transport.request({ method: "GET", path: "/", signal: abort.signal });
    await clock.settle();
    expect(sent).toBe(2);
    abort.abort();
    await expect(cancelled).rejects.toMatchObject({ code: "Cancelled" });
    await clock.advance(1000);
    await Promise.all(all);
    expect(sent).toBe(3);
    expect(clock.pending).toBe(0);
  });
});
