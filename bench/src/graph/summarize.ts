import type { BenchmarkResult } from "../benchmark.ts";
import { megabytes, milliseconds } from "../format-table.ts";
import type { LoadMeasurement } from "./graph-process.ts";
import type { ChangesMeasurement } from "./measure-changes.ts";
import type { CompleteMeasurement } from "./measure-complete.ts";
import type { Latencies, QuestionsMeasurement } from "./measure-questions.ts";
import type { RestartMeasurement } from "./measure-restart.ts";

/** What was measured with one cluster; undefined for parts that were left out. */
export interface StageMeasurement {
  readonly complete: CompleteMeasurement;
  readonly questions: QuestionsMeasurement | undefined;
  readonly changes: ChangesMeasurement | undefined;
  readonly restart: RestartMeasurement | undefined;
  readonly load: LoadMeasurement;
}

export interface GraphMeasurement {
  readonly small: StageMeasurement | undefined;
  readonly large: StageMeasurement | undefined;
}

type Figures = Readonly<Record<string, number>>;
type Rows = readonly (readonly string[])[];

interface Part {
  readonly figures: Figures;
  readonly rows: Rows;
}

export function summarize({ small, large }: GraphMeasurement): BenchmarkResult {
  const parts = [
    ...(small === undefined ? [] : [...smallParts(small), ...stageParts("10k", small)]),
    ...(large === undefined ? [] : [...largeParts(large), ...stageParts("25k", large)]),
  ];
  return {
    ratios: {},
    figures: Object.assign({}, ...parts.map(({ figures }) => figures)),
    table: { columns: ["measured", "", ""], rows: parts.flatMap(({ rows }) => rows) },
  };
}

/** The limits of memory are for this size. */
function smallParts({ complete, changes }: StageMeasurement): Part[] {
  const { agentRssBytes, serverRssBytes } = complete;
  return [
    { figures: { agentRssBytes, serverRssBytes }, rows: [] },
    ...(changes === undefined ? [] : [changesPart(changes)]),
  ];
}

/** What grows with the cluster is told of the larger one. */
function largeParts({ questions, restart, load, complete }: StageMeasurement): Part[] {
  const { pods } = complete;
  return [
    { figures: { bytesPerPod: load.bytes / pods, backSeconds: load.backSeconds }, rows: [] },
    ...(questions === undefined ? [] : [questionFigures(questions)]),
    ...(restart === undefined ? [] : [restartPart(restart)]),
  ];
}

function stageParts(size: string, { complete, questions, load }: StageMeasurement): Part[] {
  return [
    completePart(size, complete),
    loadPart(size, load, complete.pods),
    ...(questions === undefined ? [] : [questionsPart(size, questions)]),
  ];
}

function completePart(size: string, complete: CompleteMeasurement): Part {
  const { agentRssBytes, serverRssBytes, pods, objects } = complete;
  return {
    figures: {
      [`complete${size}Seconds`]: complete.completeSeconds,
      [`stored${size}Seconds`]: complete.storedSeconds,
      [`agentRssBytes${size}`]: agentRssBytes,
      [`serverRssBytes${size}`]: serverRssBytes,
      [`agentCpuSeconds${size}`]: complete.agentCpuSeconds,
      [`serverCpuSeconds${size}`]: complete.serverCpuSeconds,
      [`sentBytesPerPod${size}`]: complete.sentBytes / pods,
    },
    rows: [
      [
        `${pods} pods, ${objects} objects`,
        `stored ${seconds(complete.storedSeconds)}, answering ${seconds(complete.completeSeconds)}`,
        `agent ${megabytes(agentRssBytes)}, server ${megabytes(serverRssBytes)}`,
      ],
    ],
  };
}

function loadPart(
  size: string,
  { nodes, edges, bytes, firstSeconds, backSeconds }: LoadMeasurement,
  pods: number,
): Part {
  return {
    figures: { [`nodes${size}`]: nodes, [`edges${size}`]: edges, [`bytesPerPod${size}`]: bytes / pods },
    rows: [
      [
        `${pods} pods in memory`,
        `${nodes} nodes, ${edges} edges, ${(bytes / pods / 1000).toFixed(2)} KB per pod`,
        `loaded in ${seconds(firstSeconds)}, back in ${seconds(backSeconds)}`,
      ],
    ],
  };
}

function questionFigures({ live, search, at }: QuestionsMeasurement): Part {
  return {
    figures: {
      liveP95Ms: live.p95Ms,
      atP95Ms: at.p95Ms,
      ...(search === undefined ? {} : { searchP95Ms: search.p95Ms }),
    },
    rows: [],
  };
}

function questionsPart(size: string, questions: QuestionsMeasurement): Part {
  const { each, live, at, atAgain, liveRssBytes, atRssBytes, pods } = questions;
  const all = [...each, ["live", live], ["at", at], ["at again", atAgain]] as const;
  const figureName = (name: string): string =>
    name.replaceAll(/[- ](\w)/gu, (_, letter: string) => letter.toUpperCase());
  return {
    figures: {
      ...Object.fromEntries(
        all.flatMap(([name, { p50Ms, p95Ms, cpuMs }]) => [
          [`${figureName(name)}P50Ms${size}`, p50Ms],
          [`${figureName(name)}P95Ms${size}`, p95Ms],
          [`${figureName(name)}CpuMs${size}`, cpuMs],
        ]),
      ),
      [`serverLiveRssBytes${size}`]: liveRssBytes,
      [`serverAtRssBytes${size}`]: atRssBytes,
    },
    rows: all.map(([name, times]) => {
      const [latencies, count] = latencyCells(times);
      return [`${name}, ${pods} pods`, latencies, `${count}, CPU ${milliseconds(times.cpuMs)} each`];
    }),
  };
}

function changesPart(changes: ChangesMeasurement): Part {
  const { asked } = changes;
  return {
    figures: {
      lagP50Ms: changes.p50Ms,
      lagP99Ms: changes.p99Ms,
      answerLagP50Ms: changes.answerP50Ms,
      answerLagP99Ms: changes.answerP99Ms,
      changesPerSecond: changes.perSecond,
      mergedShare: changes.mergedShare,
      agentCpuAtChanges: changes.agentCpu,
      serverCpuAtChanges: changes.serverCpu,
      agentRssBytesAtChanges: changes.agentRssBytes,
      serverRssBytesAtChanges: changes.serverRssBytes,
      bytesPerChange: changes.bytesPerChange,
      askedAtChangesP95Ms: asked.p95Ms,
    },
    rows: [
      [
        `${Math.round(changes.perSecond)} changes/s`,
        `stored p50 ${milliseconds(changes.p50Ms)}, p99 ${milliseconds(changes.p99Ms)}; answered p50 ${milliseconds(changes.answerP50Ms)}, p99 ${milliseconds(changes.answerP99Ms)}`,
        `CPU agent ${percent(changes.agentCpu)}, server ${percent(changes.serverCpu)}`,
      ],
      ["questions meanwhile", ...latencyCells(asked)],
    ],
  };
}

function restartPart(restart: RestartMeasurement): Part {
  const { pods, answeringSeconds, firstAnswerSeconds } = restart;
  const perThousand = (bytes: number): number => (bytes * 1000) / pods;
  return {
    figures: {
      reconnectBytesPer1000Pods: perThousand(restart.agentRestartBytes),
      serverRestartBytesPer1000Pods: perThousand(restart.serverRestartBytes),
      agentRestartSeconds: restart.agentRestartSeconds,
      startSeconds: answeringSeconds,
      firstAnswerSeconds,
    },
    rows: [
      [
        `server restarted, ${pods} pods`,
        `answering after ${seconds(answeringSeconds)}`,
        `first answer ${seconds(firstAnswerSeconds)}`,
      ],
      [
        `agent restarted, ${pods} pods`,
        `${Math.round(perThousand(restart.agentRestartBytes))} bytes per 1,000 pods`,
        `known after ${seconds(restart.agentRestartSeconds)}`,
      ],
    ],
  };
}

function latencyCells({ p50Ms, p95Ms, maxMs, count }: Latencies): [string, string] {
  return [
    `p50 ${milliseconds(p50Ms)}, p95 ${milliseconds(p95Ms)}, most ${milliseconds(maxMs)}`,
    `${count} asked`,
  ];
}

function seconds(value: number): string {
  return `${value.toFixed(1)} s`;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`;
}
