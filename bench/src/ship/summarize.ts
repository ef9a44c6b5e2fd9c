import type { BenchmarkResult } from "../benchmark.ts";
import { megabytes, milliseconds } from "../format-table.ts";
import { median } from "../median.ts";
import type { MemoryMeasurement } from "./measure-memory.ts";
import type { FirstAnswer, StartMeasurement } from "./measure-start.ts";
import type { UpgradeMeasurement } from "./measure-upgrade.ts";

/** Undefined for parts that were left out. */
export interface ShipMeasurement {
  readonly sizes: { readonly imageBytes: number; readonly executableBytes: number } | undefined;
  readonly start: StartMeasurement | undefined;
  readonly memory: MemoryMeasurement | undefined;
  readonly upgrade: UpgradeMeasurement | undefined;
  readonly upLocalSeconds: number | undefined;
}

type Part = Pick<BenchmarkResult, "figures"> & { readonly rows: readonly (readonly string[])[] };

export function summarize(measured: ShipMeasurement): BenchmarkResult {
  const { sizes, start, memory, upgrade, upLocalSeconds } = measured;
  const parts: Part[] = [
    ...(sizes === undefined ? [] : [sizesPart(sizes)]),
    ...(start === undefined ? [] : [startPart(start)]),
    ...(memory === undefined ? [] : [memoryPart(memory)]),
    ...(upgrade === undefined ? [] : [upgradePart(upgrade)]),
    ...(upLocalSeconds === undefined ? [] : [localPart(upLocalSeconds)]),
  ];
  return {
    ratios:
      start === undefined ? {} : { executableStartVsNode: median(start.versionMs) / median(start.nodeMs) },
    figures: Object.assign({}, ...parts.map(({ figures }) => figures)),
    table: { columns: ["measured", "", "goal"], rows: parts.flatMap(({ rows }) => rows) },
  };
}

function sizesPart({ imageBytes, executableBytes }: NonNullable<ShipMeasurement["sizes"]>): Part {
  return {
    figures: { imageBytes, executableBytes },
    rows: [
      ["image", megabytes(imageBytes), "< 120 MB"],
      ["executable", megabytes(executableBytes), ""],
    ],
  };
}

const halfOf = (answers: readonly FirstAnswer[], what: keyof FirstAnswer): number =>
  median(answers.map((answer) => answer[what]));

function startPart({ versionMs, nodeMs, server, agent }: StartMeasurement): Part {
  const row = (name: string, answers: readonly FirstAnswer[], goal: string): string[] => [
    name,
    `${milliseconds(halfOf(answers, "ms"))} (quickest ${milliseconds(Math.min(...answers.map(({ ms }) => ms)))})`,
    goal,
  ];
  return {
    figures: {
      executableStartMs: median(versionMs),
      nodeStartMs: median(nodeMs),
      serverFirstAnswerMs: halfOf(server, "ms"),
      agentFirstAnswerMs: halfOf(agent, "ms"),
    },
    rows: [
      [
        "executable, version",
        `${milliseconds(median(versionMs))} (node ${milliseconds(median(nodeMs))})`,
        "< 150 ms",
      ],
      row("server, first answer", server, ""),
      row("agent, first answer", agent, "≤ 200 ms"),
    ],
  };
}

function memoryPart({ idle, afterLoad, ...load }: MemoryMeasurement): Part {
  return {
    figures: {
      serverIdleRssBytes: idle.server,
      agentIdleRssBytes: idle.agent,
      serverLoadedRssBytes: afterLoad.server,
      agentLoadedRssBytes: afterLoad.agent,
      loadRequestsPerSecond: load.requestsPerSecond,
      serverCpuMicrosPerRequest: load.serverCpuMicros,
      agentCpuMicrosPerRequest: load.agentCpuMicros,
    },
    rows: [
      ["server, idle", megabytes(idle.server), "≤ 110 MB"],
      ["agent, idle", megabytes(idle.agent), "≤ 80 MB"],
      ["server, after load", megabytes(afterLoad.server), ""],
      ["agent, after load", megabytes(afterLoad.agent), ""],
      ["load", `${Math.round(load.requestsPerSecond)} requests/s`, ""],
    ],
  };
}

function upgradePart({ requests, lost, slowestMs, seconds }: UpgradeMeasurement): Part {
  return {
    figures: {
      upgradeLostRequests: lost.length,
      upgradeRequests: requests,
      upgradeSlowestMs: slowestMs,
      upgradeSeconds: seconds,
    },
    rows: [
      ["upgrade, lost requests", `${lost.length} of ${requests}`, "0"],
      ["upgrade, slowest request", milliseconds(slowestMs), ""],
    ],
  };
}

function localPart(upLocalSeconds: number): Part {
  return { figures: { upLocalSeconds }, rows: [["up --local", `${upLocalSeconds.toFixed(1)} s`, "< 5 s"]] };
}
