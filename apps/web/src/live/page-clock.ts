import type { Clock } from "@bowline/core";

/** The real time, in a page or a worker. */
export const pageClock: PageClock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};

/** As much of a clock as a page needs. */
export type PageClock = Pick<Clock, "now" | "monotonicMs" | "after">;
