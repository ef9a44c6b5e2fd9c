import { chromiumProgram } from "@bowline/test-services/programs";

import type { Benchmark } from "../benchmark.ts";
import { changesPerSecond, changeSeconds, measureChanges, measurePixel } from "./measure-changes.ts";
import { measureGraph } from "./measure-graph.ts";
import { measureLoad } from "./measure-load.ts";
import { measureLogs } from "./measure-logs.ts";
import { measureRows } from "./measure-rows.ts";
import { rowCount, Stage } from "./stage.ts";
import { summarize } from "./summarize.ts";

export const webBenchmark: Benchmark = {
  description: `Opens the console in Chromium: its first load, a table of ${rowCount} rows, ${changesPerSecond} changes/s for ${changeSeconds} s, how long a change takes to be seen, pictures of 500 and 2,000 nodes, and a log of 100,000 lines; beside a plain list of the same rows.`,
  needs: { programs: [chromiumProgram] },
  parts: ["load", "rows", "changes", "pixel", "graph", "logs"],
  async run(context) {
    const { parts, progress } = context;
    await using stage = await Stage.open();
    const load = parts.has("load") ? await measureLoad(stage, context) : undefined;
    if (["rows", "changes", "pixel"].some((part) => parts.has(part))) {
      progress(`${rowCount} rows are made`);
      await stage.source.ask("fill", { count: rowCount });
    }
    return summarize({
      load,
      rows: parts.has("rows") ? await measureRows(stage, context) : undefined,
      changes: parts.has("changes") ? await measureChanges(stage, context) : undefined,
      pixel: parts.has("pixel") ? await measurePixel(stage, context) : undefined,
      graph: parts.has("graph") ? await measureGraph(stage, context) : undefined,
      logs: parts.has("logs") ? await measureLogs(stage, context) : undefined,
    });
  },
};
