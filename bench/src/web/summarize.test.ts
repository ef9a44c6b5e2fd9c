import { expect, test } from "vitest";

import { summarize } from "./summarize.ts";

const frames = (p95Ms: number, maxMs: number) => ({ p95Ms, maxMs, count: 100 });

test("tells what was measured, beside the plain list", () => {
  const { ratios, figures, table } = summarize({
    load: { gzipBytes: 150 * 1024, fleetPaintMs: 300, fleetPaintAgainMs: 200 },
    rows: {
      openMs: 800,
      filterMs: 40,
      sortMs: 90,
      scroll: frames(18, 40),
      plainScroll: frames(9, 20),
    },
    changes: {
      perSecond: 998,
      frames: frames(17, 60),
      mainThread: 0.3,
      heapGrowthRatio: 1.05,
      heapBytes: 60e6,
      plainFrames: frames(17, 20),
      plainMainThread: 0.1,
    },
    pixel: undefined,
    graph: undefined,
    logs: undefined,
  });
  expect(ratios).toEqual({ scrollP95VsPlain: 2, changesMaxFrameVsPlain: 3 });
  expect(figures).toMatchObject({
    firstLoadGzipBytes: 153_600,
    rows10kOpenMs: 800,
    heapGrowthRatio: 1.05,
  });
  expect(table.rows).toContainEqual([
    "10,000 rows: scroll",
    "p95 18 ms, most 40 ms",
    "p95 9.00 ms, most 20 ms",
  ]);
});

test("tells of pictures and logs", () => {
  const { ratios, figures, table } = summarize({
    load: undefined,
    rows: undefined,
    changes: undefined,
    pixel: undefined,
    graph: {
      layoutMs: 400,
      coldLayoutMs: 900,
      focusMs: 150,
      loadMs: 700,
      pan: frames(17, 50),
      ceilingPaintMs: 300,
      ceilingPan: frames(33, 60),
    },
    logs: {
      openMs: 2_000,
      scroll: frames(20, 50),
      plainScroll: frames(10, 20),
      searchMs: 250,
      linesPerSecond: 4_998,
      followFrames: frames(25, 90),
      behindP95Ms: 80,
      behindMaxMs: 200,
    },
  });
  expect(ratios).toEqual({ logsScrollP95VsPlain: 2 });
  expect(figures).toMatchObject({
    graph500LayoutMs: 400,
    graph500FocusMs: 150,
    graphCeilingPaintMs: 300,
    graphPanP95FrameMs: 17,
    logs100kOpenMs: 2_000,
    logsScrollP95FrameMs: 20,
    logsBehindMs: 80,
    logsSearchMs: 250,
  });
  expect(table.rows).toContainEqual(["4998 lines/s: frames", "p95 25 ms, most 90 ms", ""]);
});
