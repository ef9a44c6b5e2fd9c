import { Readable } from "node:stream";
import { ManualClock } from "@bowline/core/testing";
import { describe, expect, it } from "vitest";
import type { Transport } from "../transport.ts";
import { RateLimitedTransport } from "./rate-limited-transport.ts";

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
    const transport = new RateLimitedTransport(inner, { perSecond: 1, burst: 2 }, clock);
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
