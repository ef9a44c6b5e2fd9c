import { ManualClock } from "@bowline/core/testing";
import { expect, test } from "vitest";

import { defaultProxyLimits, UsageTable } from "./usage-table.ts";

const use = { user: "editor", cluster: "prod", isStream: false };
const tooMany = expect.objectContaining({ code: "TooManyRequests" });

test("counts what is under way for each user and cluster, streams for themselves", () => {
  const table = new UsageTable({ ...defaultProxyLimits, maxRequests: 2, maxStreams: 1 }, new ManualClock());
  const release = table.take(use);
  table.take(use);
  expect(() => table.take(use)).toThrow(tooMany);
  table.take({ ...use, isStream: true });
  expect(() => table.take({ ...use, isStream: true })).toThrow(tooMany);
  table.take({ ...use, cluster: "other" });
  table.take({ ...use, user: "viewer" });
  release();
  table.take(use);
  expect(() => table.take(use)).toThrow(tooMany);
});

test("lets a burst through, and then so many per second", async () => {
  const clock = new ManualClock();
  const table = new UsageTable({ ...defaultProxyLimits, rate: { perSecond: 2, burst: 3 } }, clock);
  for (let count = 0; count < 3; count += 1) table.take(use)();
  expect(() => table.take(use)).toThrow(expect.objectContaining({ details: { retryAfterSeconds: 1 } }));
  await clock.advance(500);
  table.take(use)();
  expect(() => table.take(use)).toThrow(tooMany);
});

test("forgets idle users, and never those with something under way", () => {
  const limits = { maxRequests: 1, maxStreams: 1, rate: { perSecond: 1, burst: 2 } };
  const table = new UsageTable({ ...defaultProxyLimits, ...limits }, new ManualClock());
  const idle = { ...use, user: "idle" };
  table.take(idle)();
  table.take(idle)();
  expect(() => table.take(idle)).toThrow(tooMany);
  const stream = { ...use, user: "viewer", isStream: true };
  table.take(use);
  table.take(stream);
  for (let count = 0; count < 20_000; count += 1) table.take({ ...use, user: `user-${count}` })();
  expect(() => table.take(use)).toThrow(tooMany);
  expect(() => table.take(stream)).toThrow(tooMany);
  table.take(idle)();
});
