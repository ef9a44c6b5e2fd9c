import type { BenchmarkResult } from "../benchmark.ts";
import { megabytes, milliseconds } from "../format-table.ts";
import { median } from "../median.ts";
import type { AgentMeasurement } from "./measure-agent.ts";
import type { ApplyMeasurement } from "./measure-apply.ts";
import type { DriftMeasurement } from "./measure-drift.ts";
import type { EventLatency } from "./measure-events.ts";
import type { IngestMeasurement } from "./measure-ingest.ts";

export interface FleetMeasurement {
  readonly applied: readonly ApplyMeasurement[];
  readonly events: readonly EventLatency[];
  readonly drift: DriftMeasurement;
}

/** Undefined for parts that were left out. */
export interface WorkloadsMeasurement {
  readonly fleet: FleetMeasurement | undefined;
  readonly sqlite: IngestMeasurement | undefined;
  readonly postgres: IngestMeasurement | undefined;
  readonly agent: AgentMeasurement | undefined;
}

type Part = Pick<BenchmarkResult, "ratios" | "figures"> & { readonly rows: readonly (readonly string[])[] };

export function summarize({ fleet, sqlite, postgres, agent }: WorkloadsMeasurement): BenchmarkResult {
  const parts: Part[] = [
    ...(fleet === undefined ? [] : [applyPart(fleet), eventsPart(fleet.events), driftPart(fleet.drift)]),
    ...(sqlite === undefined ? [] : [ingestPart("Sqlite", sqlite)]),
    ...(postgres === undefined ? [] : [ingestPart("Postgres", postgres)]),
    ...(agent === undefined ? [] : [agentPart(agent)]),
  ];
  return {
    ratios: Object.assign({}, ...parts.map(({ ratios }) => ratios)),
    figures: Object.assign({}, ...parts.map(({ figures }) => figures)),
    table: { columns: ["measured", "", ""], rows: parts.flatMap(({ rows }) => rows) },
  };
}

function applyPart({ applied }: FleetMeasurement): Part {
  const of = (pick: (round: ApplyMeasurement) => number): number => median(applied.map(pick));
  return {
    ratios: { appliedVsDirect: of(({ appliedSeconds, directSeconds }) => appliedSeconds / directSeconds) },
    figures: {
      applied100Seconds: of(({ appliedSeconds }) => appliedSeconds),
      healthy100Seconds: of(({ healthySeconds }) => healthySeconds),
      direct100Seconds: of(({ directSeconds }) => directSeconds),
    },
    rows: applied.map((round, index) => [
      `100 instances, round ${index + 1}`,
      `applied ${seconds(round.appliedSeconds)}, healthy ${seconds(round.healthySeconds)}`,
      `directly ${seconds(round.directSeconds)}, CPU ${seconds(round.cpuSeconds)}`,
    ]),
  };
}

function eventsPart(events: readonly EventLatency[]): Part {
  const rates = [...new Set(events.map(({ perSecond }) => perSecond))];
  const figures = rates.flatMap((rate): [string, number][] => {
    const rounds = events.filter(({ perSecond }) => perSecond === rate);
    return [
      [`eventP50Ms${rate}`, median(rounds.map(({ p50Ms }) => p50Ms))],
      [`eventP99Ms${rate}`, median(rounds.map(({ p99Ms }) => p99Ms))],
    ];
  });
  return { ratios: {}, figures: Object.fromEntries(figures), rows: events.map(eventRow) };
}

function eventRow({ perSecond, p50Ms, p99Ms, keptPerSecond }: EventLatency): string[] {
  return [
    `${perSecond} events/s to a watcher`,
    `p50 ${milliseconds(p50Ms)}, p99 ${milliseconds(p99Ms)}`,
    `${Math.round(keptPerSecond)}/s`,
  ];
}

function driftPart({ p50Ms, p99Ms, edits }: DriftMeasurement): Part {
  return {
    ratios: {},
    figures: { driftP50Ms: p50Ms, driftP99Ms: p99Ms },
    rows: [["edit to set right", `p50 ${milliseconds(p50Ms)}, p99 ${milliseconds(p99Ms)}`, `${edits} edits`]],
  };
}

function ingestPart(name: string, { perSecond, insertsPerSecond, cpuMicroseconds }: IngestMeasurement): Part {
  return {
    ratios: { [`ingestVsInsert${name}`]: perSecond / insertsPerSecond },
    figures: {
      [`ingestPerSecond${name}`]: perSecond,
      [`insertsPerSecond${name}`]: insertsPerSecond,
      [`ingestCpuMicroseconds${name}`]: cpuMicroseconds,
    },
    rows: [
      [
        `events reported, ${name}`,
        `${Math.round(perSecond)}/s, CPU ${Math.round(cpuMicroseconds)} µs each`,
        `bare inserts ${Math.round(insertsPerSecond)}/s`,
      ],
    ],
  };
}

function agentPart(agent: AgentMeasurement): Part {
  const { peakRssBytes, restRssBytes, deployRssBytes, events } = agent;
  return {
    ratios: {},
    figures: {
      agentRssBytes: peakRssBytes,
      agentRestRssBytes: restRssBytes,
      agentDeployRssBytes: deployRssBytes,
      agentCpuSeconds: agent.cpuSeconds,
      agentReportedSeconds: agent.reportedSeconds,
      agentCpu500: agent.cpuAtEvents,
      bytesPerEvent: agent.bytesPerEvent,
      eventP50MsOneCluster: events.p50Ms,
      eventP99MsOneCluster: events.p99Ms,
      deploy1000Seconds: agent.deploySeconds,
    },
    rows: [
      [
        "agent in a full cluster",
        `peak ${megabytes(peakRssBytes)}, at rest ${megabytes(restRssBytes)}, while deploying ${megabytes(deployRssBytes)}`,
        `all reported after ${seconds(agent.reportedSeconds)}, CPU ${seconds(agent.cpuSeconds)}`,
      ],
      eventRow(events),
      [
        "an event on the wire",
        `${Math.round(agent.bytesPerEvent)} bytes`,
        `${(agent.cpuAtEvents * 100).toFixed(1)} % of a core at 500/s`,
      ],
    ],
  };
}

function seconds(value: number): string {
  return `${value.toFixed(1)} s`;
}
