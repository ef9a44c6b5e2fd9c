import { shortened } from "@bowline/core";

import type { ShownEvent, WorkloadState } from "../live/demo-state.ts";
import { plainLine, tableLines, type Line, type Span, type Style } from "./line.ts";
import { cell, timeText } from "./state-lines.ts";

type Health = WorkloadState["health"];

/** A shape for each, as nobody has to see colours: those that somebody should look at are the least alike. */
const marks: Readonly<Record<Health, string>> = {
  Healthy: "✓",
  Progressing: "~",
  Degraded: "✗",
  Missing: "!",
  Suspended: "=",
  Unknown: "?",
};

const styles: Readonly<Record<Health, Style>> = {
  Healthy: "green",
  Progressing: "yellow",
  Degraded: "red",
  Missing: "red",
  Suspended: "dim",
  Unknown: "yellow",
};

/** In the order in which somebody has to look at them. */
const urgency: readonly Health[] = ["Degraded", "Missing", "Unknown", "Progressing", "Suspended", "Healthy"];

const headers = ["WORKLOAD", "CLUSTER", "HEALTH", "WHY"];
const longestName = 20;

/** So many rows have room for a reason that is longer than its line. */
const rowsForReasons = 20;

interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** The table of the workloads, in a third of the rows: where not all of them fit, those in trouble are shown. */
export function workloadLines(workloads: readonly WorkloadState[], { columns, rows }: Size): Line[] {
  const head = headers.map((text): Span => ({ text, style: "dim" }));
  const width = rows < rowsForReasons ? Number.POSITIVE_INFINITY : columns;
  const described = new Map<WorkloadState, Described>();
  let left = Math.max(2, Math.floor(rows / 3));
  for (const workload of workloads.toSorted((one, other) => rank(one) - rank(other))) {
    const text = describe(workload, width);
    left -= 1 + text.below.length;
    if (left < 0) break;
    described.set(workload, text);
  }
  const shown = workloads.flatMap((workload) => described.get(workload) ?? []);
  const [header, ...lines] = tableLines([head, ...shown.map(({ cells }) => cells)], 1);
  const more = workloads.length - shown.length;
  return [
    ...(header === undefined ? [] : [header]),
    ...lines.flatMap((line, index) => [line, ...(shown[index]?.below ?? [])]),
    ...(more === 0 ? [] : [plainLine(` … and ${more} more: bowline get wp`, "dim")]),
  ];
}

/** A row of the table, and lines below it for what does not fit. */
interface Described {
  readonly cells: readonly Span[];
  readonly below: readonly Line[];
}

function describe(workload: WorkloadState, columns: number): Described {
  const { instance, cluster, health, reason, message } = workload;
  const cells = [
    { text: shortened(instance, longestName), style: "bold" },
    { text: shortened(cluster, longestName) },
    { text: `${marks[health]} ${health}`, style: styles[health] },
  ] as const;
  const why = whyText(workload);
  const before = cells.reduce((sum, { text }) => sum + text.length + 2, 1);
  if (reason === "" || message === "" || before + why.length <= columns) {
    return { cells: [...cells, { text: why }], below: [] };
  }
  const below = twoLines(message, columns - indent.length).map((line) => plainLine(indent + line));
  return { cells: [...cells, { text: reason }], below };
}

const indent = "   ";

/** Broken between words; what is left for the second line may be too long for it. */
function twoLines(text: string, width: number): string[] {
  if (text.length <= width) return [text];
  const space = text.lastIndexOf(" ", width);
  const end = space > 0 ? space : width;
  return [text.slice(0, end), text.slice(end).trimStart()];
}

function rank({ health, reason }: WorkloadState): number {
  return urgency.indexOf(health) * 2 + (reason === "" ? 1 : 0);
}

/** Of what is well, how much of it there is. */
function whyText({ reason, message, healthyCount, resourceCount }: WorkloadState): string {
  if (reason === "") return `${healthyCount} of ${resourceCount} resources`;
  return message === "" ? reason : `${reason}: ${message}`;
}

/** The same as a sentence, for where there is no table. */
export function workloadText(workload: WorkloadState): string {
  const { instance, cluster, health } = workload;
  return `${instance} in ${cluster} is ${marks[health]} ${health}: ${whyText(workload)}`;
}

const reasonWidth = 20;

/** One event, in columns that stay where they are whatever comes next. */
export function eventLine({ atMs, cluster, instance, isWarning, reason, count, message }: ShownEvent): Line {
  const what = count > 1 ? `${reason} x${count}` : reason;
  return [
    { text: ` ${timeText(atMs)}  `, style: "dim" },
    cell(cluster, 7),
    cell(instance, 8),
    { text: what.padEnd(reasonWidth), style: isWarning ? "yellow" : "cyan" },
    { text: ` ${message}` },
  ];
}
