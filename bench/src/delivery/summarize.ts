import type { BenchmarkResult } from "../benchmark.ts";
import { megabytes, milliseconds } from "../format-table.ts";
import { median, percentile } from "../median.ts";
import type { PollMeasurement } from "./measure-poll.ts";
import type { PushMeasurement } from "./measure-push.ts";
import type { RenderMeasurement } from "./measure-render.ts";
import type { SpreadMeasurement } from "./measure-spread.ts";

export interface FleetMeasurement {
  readonly push: PushMeasurement;
  readonly spread: SpreadMeasurement;
}

/** Undefined for parts that were left out. */
export interface DeliveryMeasurement {
  readonly fleet: FleetMeasurement | undefined;
  readonly poll: PollMeasurement | undefined;
  readonly render: RenderMeasurement | undefined;
}

type Part = Pick<BenchmarkResult, "figures"> & { readonly rows: readonly (readonly string[])[] };

export function summarize({ fleet, poll, render }: DeliveryMeasurement): BenchmarkResult {
  const parts: Part[] = [
    ...(fleet === undefined ? [] : [pushPart(fleet.push), spreadPart(fleet.spread)]),
    ...(poll === undefined ? [] : [pollPart(poll)]),
    ...(render === undefined ? [] : [renderPart(render)]),
  ];
  return {
    ratios: render === undefined ? {} : { renderVsParse: median(render.renderMs) / median(render.parseMs) },
    figures: Object.assign({}, ...parts.map(({ figures }) => figures)),
    table: { columns: ["measured", "", ""], rows: parts.flatMap(({ rows }) => rows) },
  };
}

function pushPart({ toldMs, polledMs }: PushMeasurement): Part {
  const row = (name: string, times: readonly number[]): string[] => [
    name,
    `p50 ${milliseconds(percentile(times, 0.5))}, p99 ${milliseconds(percentile(times, 0.99))}`,
    `most ${milliseconds(Math.max(...times))}`,
  ];
  return {
    figures: {
      pushToApplied100P50Ms: percentile(toldMs, 0.5),
      pushToApplied100P99Ms: percentile(toldMs, 0.99),
      pushToAppliedPolled100P50Ms: percentile(polledMs, 0.5),
      pushToAppliedPolled100P99Ms: percentile(polledMs, 0.99),
    },
    rows: [
      row("push to 100 clusters, with a webhook", toldMs),
      row("push to 100 clusters, polled every 10 s", polledMs),
    ],
  };
}

function spreadPart(spread: SpreadMeasurement): Part {
  const { appliedSeconds, readySeconds, bytesPerIdleWorkload } = spread;
  const { serverCpuSeconds, agentsCpuSeconds, clustersCpuSeconds } = spread;
  const seconds = (cpu: number): string => `${cpu.toFixed(1)} s`;
  return {
    figures: {
      apply1000x4Seconds: appliedSeconds,
      ready1000x4Seconds: readySeconds,
      apply1000x4ServerCpuSeconds: serverCpuSeconds,
      apply1000x4AgentsCpuSeconds: agentsCpuSeconds,
      apply1000x4ClustersCpuSeconds: clustersCpuSeconds,
      bytesPerIdleWorkload,
    },
    rows: [
      [
        "1,000 instances of 4 objects",
        `applied ${appliedSeconds.toFixed(1)} s, ready ${readySeconds.toFixed(1)} s`,
        `CPU of the server ${seconds(serverCpuSeconds)}, the agents ${seconds(agentsCpuSeconds)}, the clusters ${seconds(clustersCpuSeconds)}`,
      ],
      ["an instance at rest", `${Math.round(bytesPerIdleWorkload / 1_000)} kB of the server's memory`, ""],
    ],
  };
}

function pollPart({ cpuShare, pollsPerMinute, rssBytes, openFiles }: PollMeasurement): Part {
  const [firstRss = 0, lastRss = 0] = [rssBytes[0], rssBytes.at(-1)];
  const [firstFiles = 0, lastFiles = 0] = [openFiles[0], openFiles.at(-1)];
  return {
    figures: {
      poll1000CpuShare: cpuShare,
      poll1000PerMinute: pollsPerMinute,
      poll1000RssBytes: lastRss,
      poll1000RssGrowth: lastRss / firstRss,
      poll1000OpenFiles: lastFiles,
    },
    rows: [
      [
        "1,000 repositories, each minute",
        `${(cpuShare * 100).toFixed(1)} % of a core, ${Math.round(pollsPerMinute)} asked per minute`,
        `${megabytes(firstRss)} to ${megabytes(lastRss)}, ${firstFiles} to ${lastFiles} open files`,
      ],
    ],
  };
}

function renderPart({ renderMs, parseMs, objects }: RenderMeasurement): Part {
  return {
    figures: { render10MiBMs: median(renderMs), renderedObjects: objects },
    rows: [
      [
        `10 MiB of YAML, ${objects} objects`,
        `rendered in ${milliseconds(median(renderMs))}`,
        `read as JSON in ${milliseconds(median(parseMs))}`,
      ],
    ],
  };
}
