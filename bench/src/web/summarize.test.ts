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
      some: { layoutMs: 400, focusMs: 150, focusMaxFrameMs: 33, pan: frames(17, 50), zoom: frames(17, 33) },
      most: { layoutMs: 900, focusMs: 300, focusMaxFrameMs: 60, pan: frames(34, 60), zoom: frames(51, 90) },
      coldLayoutMs: 900,
      loadMs: 700,
      plain: frames(17, 20),
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
  expect(ratios).toEqual({
    graphPanP95VsPlain: 1,
    graph2000PanP95VsPlain: 2,
    graph2000ZoomP95VsPlain: 3,
    logsScrollP95VsPlain: 2,
  });
  expect(figures).toMatchObject({
    graph500LayoutMs: 400,
    graph500FocusMs: 150,
    graphPanP95FrameMs: 17,
    graph2000LayoutMs: 900,
    graph2000FocusMs: 300,
    graph2000FocusMaxFrameMs: 60,
    graph2000ZoomMaxFrameMs: 90,
    logs100kOpenMs: 2_000,
    logsScrollP95FrameMs: 20,
    logsBehindMs: 80,
    logsSearchMs: 250,
  });
  expect(table.rows).toContainEqual(["4998 lines/s: frames", "p95 25 ms, most 90 ms", ""]);
});
