import { PerformanceObserver, constants } from "node:perf_hooks";
import { setImmediate as turn } from "node:timers/promises";

import { expect, test } from "vitest";

import { youngCollector } from "./young-collector.ts";

test("collects the young generation each time so many bytes have passed", async () => {
  const minor: unknown[] = [];
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      // What the collector asks for is marked as forced; what V8 does by itself is not.
      const { kind, flags } = (entry as unknown as { detail: { kind: number; flags: number } }).detail;
      if (
        kind === constants.NODE_PERFORMANCE_GC_MINOR &&
        (flags & constants.NODE_PERFORMANCE_GC_FLAGS_FORCED) !== 0
      ) {
        minor.push(entry);
      }
    }
  });
  observer.observe({ entryTypes: ["gc"] });
  const passed = youngCollector(1000);
  for (let index = 0; index < 35; index++) passed(100);
  await turn();
  await turn();
  observer.disconnect();
  expect(minor).toHaveLength(3);
});
