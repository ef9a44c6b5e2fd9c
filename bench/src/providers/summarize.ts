import type { BenchmarkResult } from "../benchmark.ts";
import { megabytes, milliseconds } from "../format-table.ts";
import { median } from "../median.ts";
import type { ExecMeasurement, ExecTimes } from "./measure-exec.ts";
import type { GatewayMeasurement, GatewayTimes } from "./measure-gateway.ts";
import type { HundredMeasurement } from "./measure-hundred.ts";
import type { SdkMeasurement } from "./measure-sdk.ts";

/** Undefined for parts that were left out. */
export interface ProvidersMeasurement {
  readonly hundred: HundredMeasurement | undefined;
  readonly sdk: SdkMeasurement | undefined;
  readonly gateway: GatewayMeasurement | undefined;
  readonly exec: ExecMeasurement | undefined;
}

type Part = Pick<BenchmarkResult, "figures"> & {
  readonly ratios?: BenchmarkResult["ratios"];
  readonly rows: readonly (readonly string[])[];
};

export function summarize({ hundred, sdk, gateway, exec }: ProvidersMeasurement): BenchmarkResult {
  const parts: Part[] = [
    ...(hundred === undefined ? [] : [hundredPart(hundred)]),
    ...(sdk === undefined ? [] : [sdkPart(sdk)]),
    ...(gateway === undefined ? [] : [gatewayPart(gateway)]),
    ...(exec === undefined ? [] : [execPart(exec)]),
  ];
  return {
    ratios: Object.assign({}, ...parts.map(({ ratios }) => ratios)),
    figures: Object.assign({}, ...parts.map(({ figures }) => figures)),
    table: { columns: ["measured", "", ""], rows: parts.flatMap(({ rows }) => rows) },
  };
}

function hundredPart(measured: HundredMeasurement): Part {
  const { serverCpuShare, programsCpuShare, rssBeforeBytes, rssBytes, starts, steps } = measured;
  return {
    figures: {
      hundredClustersCpuShare: serverCpuShare,
      hundredProgramsCpuShare: programsCpuShare,
      hundredBeforeRssBytes: rssBeforeBytes,
      hundredRssBytes: rssBytes,
      hundredStartsPerMinute: starts,
      hundredStepsPerMinute: steps,
      hundredCpuMillisPerStart: (serverCpuShare * 60_000) / starts,
    },
    rows: [
      [
        "100 clusters in progress",
        `server ${percent(serverCpuShare)} of a core, ${megabytes(rssBytes)}`,
        `${megabytes(rssBeforeBytes)} before`,
      ],
      [
        "questions to the program",
        `${Math.round(starts)} a minute, ${Math.round(steps)} of them steps`,
        `programs ${percent(programsCpuShare)} of a core`,
      ],
    ],
  };
}

function sdkPart({ process, ...measured }: SdkMeasurement): Part {
  const { serverBeforeBytes, serverDuringBytes, serverAfterBytes, calls } = measured;
  return {
    figures: {
      sdkRssBytes: process.peakRssBytes,
      sdkCpuSeconds: process.cpuSeconds,
      sdkProcessSeconds: process.seconds,
      sdkProcessStarts: process.starts,
      sdkCalls: calls,
      sdkStepSeconds: measured.stepSeconds,
      sdkBegunSeconds: measured.begunSeconds,
      sdkBeforeRssBytes: serverBeforeBytes,
      sdkDuringRssBytes: serverDuringBytes,
      sdkAfterRssBytes: serverAfterBytes,
    },
    rows: [
      [
        "process of the SDK",
        `${megabytes(process.peakRssBytes)} at most, CPU ${seconds(process.cpuSeconds)} for ${calls} calls`,
        `there for ${seconds(process.seconds)}, started ${times(process.starts)}`,
      ],
      [
        "a cluster on the fake of AWS",
        `control plane begun after ${seconds(measured.begunSeconds)}`,
        `a step ${milliseconds(measured.stepSeconds * 1000)}`,
      ],
      [
        "server meanwhile",
        `${megabytes(serverDuringBytes)}, after it ${megabytes(serverAfterBytes)}`,
        `${megabytes(serverBeforeBytes)} before`,
      ],
    ],
  };
}

function gatewayPart({ first, more }: GatewayMeasurement): Part {
  return {
    figures: {
      gatewayAnswerSeconds: first.answered,
      gatewayNextAnswerSeconds: median(more.map(({ answered }) => answered)),
    },
    rows: [
      gatewayRow("first Gateway of a cluster", first),
      ...more.map((each, index) => gatewayRow(`Gateway ${index + 2}`, each)),
    ],
  };
}

function gatewayRow(name: string, { answered, checks }: GatewayTimes): string[] {
  const met = Object.entries(checks).map(([type, at]) => `${type} ${seconds(at)}`);
  return [name, `answers after ${seconds(answered)}`, met.join(", ")];
}

/** Of each time the middle of the rounds; the ratio is made within a round. */
function execPart({ rounds }: ExecMeasurement): Part {
  const middle = (of: (times: ExecTimes) => number): number => median(rounds.map(of));
  const [alone, ready] = [middle(({ program }) => program), middle((times) => times.ready)];
  const [joining, gone] = [middle((times) => times.joining), middle((times) => times.gone)];
  return {
    ratios: { execReadyVsProgram: middle((times) => times.ready / times.program) },
    figures: {
      execReadySeconds: ready,
      execJoiningSeconds: joining,
      execProgramSeconds: alone,
      execGoneSeconds: gone,
    },
    rows: [
      ["a Kubernetes from its object", `ready after ${seconds(ready)}`, `joining after ${seconds(joining)}`],
      ["by the program alone", `ready after ${seconds(alone)}`, ""],
      ["deletion of the object", `gone after ${seconds(gone)}`, ""],
    ],
  };
}

const seconds = (value: number): string => `${value.toFixed(1)} s`;
const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
const times = (count: number): string => (count === 1 ? "once" : `${count} times`);
