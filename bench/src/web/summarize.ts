import type { BenchmarkResult } from "../benchmark.ts";
import { megabytes, milliseconds } from "../format-table.ts";
import type { Frames } from "./in-page.ts";
import type { ChangesMeasurement, PixelMeasurement } from "./measure-changes.ts";
import type { GraphMeasurement, PictureMeasurement } from "./measure-graph.ts";
import type { LoadMeasurement } from "./measure-load.ts";
import type { LogsMeasurement } from "./measure-logs.ts";
import type { RowsMeasurement } from "./measure-rows.ts";

/** Undefined for parts that were left out. */
export interface WebMeasurement {
  readonly load: LoadMeasurement | undefined;
  readonly rows: RowsMeasurement | undefined;
  readonly changes: ChangesMeasurement | undefined;
  readonly pixel: PixelMeasurement | undefined;
  readonly graph: GraphMeasurement | undefined;
  readonly logs: LogsMeasurement | undefined;
}

type Part = Pick<BenchmarkResult, "ratios" | "figures"> & {
  readonly rows: readonly (readonly string[])[];
};

export function summarize({ load, rows, changes, pixel, graph, logs }: WebMeasurement): BenchmarkResult {
  const parts = [
    ...(load === undefined ? [] : [loadPart(load)]),
    ...(rows === undefined ? [] : [rowsPart(rows)]),
    ...(changes === undefined ? [] : [changesPart(changes)]),
    ...(pixel === undefined ? [] : [pixelPart(pixel)]),
    ...(graph === undefined ? [] : [graphPart(graph)]),
    ...(logs === undefined ? [] : [logsPart(logs)]),
  ];
  return {
    ratios: Object.assign({}, ...parts.map(({ ratios }) => ratios)),
    figures: Object.assign({}, ...parts.map(({ figures }) => figures)),
    table: {
      columns: ["measured", "console", "plain list"],
      rows: parts.flatMap((part) => part.rows),
    },
  };
}

function loadPart({ gzipBytes, fleetPaintMs, fleetPaintAgainMs }: LoadMeasurement): Part {
  return {
    ratios: {},
    figures: { firstLoadGzipBytes: gzipBytes, fleetPaintMs, fleetPaintAgainMs },
    rows: [
      ["script of the first load, gzip", `${(gzipBytes / 1024).toFixed(0)} kB`, ""],
      ["fleet painted, first time", milliseconds(fleetPaintMs), ""],
      ["fleet painted, again", milliseconds(fleetPaintAgainMs), ""],
    ],
  };
}

function rowsPart({ openMs, filterMs, sortMs, scroll, plainScroll }: RowsMeasurement): Part {
  return {
    ratios: { scrollP95VsPlain: scroll.p95Ms / plainScroll.p95Ms },
    figures: {
      rows10kOpenMs: openMs,
      rows10kFilterMs: filterMs,
      rows10kSortMs: sortMs,
      scrollP95FrameMs: scroll.p95Ms,
      scrollMaxFrameMs: scroll.maxMs,
      plainScrollP95FrameMs: plainScroll.p95Ms,
    },
    rows: [
      ["10,000 rows: open", milliseconds(openMs), ""],
      ["10,000 rows: filter", milliseconds(filterMs), ""],
      ["10,000 rows: sort", milliseconds(sortMs), ""],
      ["10,000 rows: scroll", framesText(scroll), framesText(plainScroll)],
    ],
  };
}

function changesPart(changes: ChangesMeasurement): Part {
  const { frames, plainFrames, mainThread, plainMainThread, perSecond, heapBytes, heapGrowthRatio } = changes;
  return {
    ratios: { changesMaxFrameVsPlain: frames.maxMs / plainFrames.maxMs },
    figures: {
      changesPerSecond: perSecond,
      changes1000MaxFrameMs: frames.maxMs,
      changes1000P95FrameMs: frames.p95Ms,
      plainChangesMaxFrameMs: plainFrames.maxMs,
      changesMainThread: mainThread,
      heapGrowthRatio,
      heapBytes,
    },
    rows: [
      [`${Math.round(perSecond)} changes/s: frames`, framesText(frames), framesText(plainFrames)],
      ["… main thread", percent(mainThread), percent(plainMainThread)],
      ["… heap afterwards", `${megabytes(heapBytes)}, ${heapGrowthRatio.toFixed(2)} times`, ""],
    ],
  };
}

function pixelPart({ p50Ms, p95Ms }: PixelMeasurement): Part {
  return {
    ratios: {},
    figures: { eventToPixelP50Ms: p50Ms, eventToPixelP95Ms: p95Ms },
    rows: [["change to pixel", `p50 ${milliseconds(p50Ms)}, p95 ${milliseconds(p95Ms)}`, ""]],
  };
}

function graphPart({ some, most, coldLayoutMs, loadMs, plain }: GraphMeasurement): Part {
  return {
    ratios: {
      graphPanP95VsPlain: some.pan.p95Ms / plain.p95Ms,
      graph2000PanP95VsPlain: most.pan.p95Ms / plain.p95Ms,
      graph2000ZoomP95VsPlain: most.zoom.p95Ms / plain.p95Ms,
    },
    figures: {
      graph500LayoutMs: some.layoutMs,
      graph500ColdLayoutMs: coldLayoutMs,
      graph500FocusMs: some.focusMs,
      graph500LoadMs: loadMs,
      graphPanP95FrameMs: some.pan.p95Ms,
      graphPanMaxFrameMs: some.pan.maxMs,
      graphZoomMaxFrameMs: some.zoom.maxMs,
      graph2000LayoutMs: most.layoutMs,
      graph2000FocusMs: most.focusMs,
      graph2000FocusMaxFrameMs: most.focusMaxFrameMs,
      graph2000PanP95FrameMs: most.pan.p95Ms,
      graph2000PanMaxFrameMs: most.pan.maxMs,
      graph2000ZoomP95FrameMs: most.zoom.p95Ms,
      graph2000ZoomMaxFrameMs: most.zoom.maxMs,
    },
    rows: [
      ["500 nodes: laid out for the first time", milliseconds(coldLayoutMs), ""],
      ["… from the address", milliseconds(loadMs), ""],
      ...pictureRows("500", some, plain),
      ...pictureRows("2,000", most, plain),
    ],
  };
}

function pictureRows(nodes: string, measured: PictureMeasurement, plain: Frames): string[][] {
  const { layoutMs, focusMs, focusMaxFrameMs, pan, zoom } = measured;
  return [
    [`${nodes} nodes: laid out`, milliseconds(layoutMs), ""],
    ["… painted", `${milliseconds(focusMs)}, longest frame ${milliseconds(focusMaxFrameMs)}`, ""],
    ["… moved", framesText(pan), framesText(plain)],
    ["… zoomed", framesText(zoom), framesText(plain)],
  ];
}

function logsPart(logs: LogsMeasurement): Part {
  const { openMs, scroll, plainScroll, searchMs, followFrames, behindP95Ms, behindMaxMs } = logs;
  return {
    ratios: { logsScrollP95VsPlain: scroll.p95Ms / plainScroll.p95Ms },
    figures: {
      logs100kOpenMs: openMs,
      logsScrollP95FrameMs: scroll.p95Ms,
      plainLogsScrollP95FrameMs: plainScroll.p95Ms,
      logsSearchMs: searchMs,
      logsFollowedPerSecond: logs.linesPerSecond,
      logsFollowP95FrameMs: followFrames.p95Ms,
      logsBehindMs: behindP95Ms,
      logsBehindMaxMs: behindMaxMs,
    },
    rows: [
      ["100,000 lines: open", milliseconds(openMs), ""],
      ["100,000 lines: scroll", framesText(scroll), framesText(plainScroll)],
      ["100,000 lines: search", milliseconds(searchMs), ""],
      [`${Math.round(logs.linesPerSecond)} lines/s: frames`, framesText(followFrames), ""],
      ["… behind", `p95 ${milliseconds(behindP95Ms)}, most ${milliseconds(behindMaxMs)}`, ""],
    ],
  };
}

function framesText({ p95Ms, maxMs }: Frames): string {
  return `p95 ${milliseconds(p95Ms)}, most ${milliseconds(maxMs)}`;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`;
}
