import type { GraphData } from "@bowline/api";
import { Option } from "commander";

import type { Paint } from "../../command/terminal.ts";
import type { CellStyle } from "../../output/table-writer.ts";

export type Severity = GraphData<"audit">["findings"][number]["severity"];

/** The worst first. */
export const severities: readonly Severity[] = ["critical", "high", "medium", "low"];

export function failOnOption(): Option {
  return new Option("--fail-on <SEVERITY>", "Exit with 1 where one is at least so bad").choices(severities);
}

/** Whether something is as bad as the least that somebody cares about; nothing is, where nobody does. */
export function isAtLeast(severity: Severity, least: Severity | undefined): boolean {
  return least !== undefined && severities.indexOf(severity) <= severities.indexOf(least);
}

/** Draws the eye to the worst, where severities are the first column. */
export function paintSeverity(paint: Paint): CellStyle {
  return (cell, column) =>
    column === 0 && (cell === "critical" || cell === "high") ? paint("red", cell) : cell;
}
