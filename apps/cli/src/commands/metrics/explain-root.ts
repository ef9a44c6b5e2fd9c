import { formatRef, type MonitorExplanation, type Problem, type SearchVerdict } from "@bowline/monitoring";

import { printableLine } from "../../output/terminal-text.ts";
import type { Paint } from "../../command/terminal.ts";
import type { JobTargets } from "./job-targets.ts";
import type { RenderedRoot } from "./render-roots.ts";

interface Line {
  readonly text: string;
  readonly style?: Parameters<Paint>[0];
}

/** What became of everything under a root, as text: the root, its instances, then monitor by monitor. */
export function explainRoot(
  { ref, result }: RenderedRoot,
  targets: readonly JobTargets[],
  paint: Paint,
): string {
  const { explanation, rejected, jobs } = result;
  const problems = new Map(rejected.map((each) => [formatRef(each.object), each.problems]));
  const found = new Map(targets.map((each) => [each.job, each]));
  const blocks: Line[][] = [
    [
      title(`${formatRef(ref)}: ${jobs.length === 1 ? "1 job" : `${jobs.length} jobs`}`),
      ...problemLines(problems.get(formatRef(explanation.root)) ?? []),
      ...noteLines(explanation.notes),
    ],
    ...explanation.instances.map(({ instance, notes, ...verdict }) => [
      title(formatRef(instance)),
      verdictLine({ by: ref, ...verdict }),
      ...problemLines(problems.get(formatRef(instance)) ?? []),
      ...noteLines(notes),
    ]),
    ...explanation.monitors.map((monitor) => monitorLines(monitor, found)),
  ];
  const shown = ({ text, style }: Line): string =>
    style === undefined ? printableLine(text) : paint(style, printableLine(text));
  return blocks.map((lines) => `${lines.map(shown).join("\n")}\n`).join("\n");
}

function monitorLines(
  { monitor, verdicts, jobs, problems, notes }: MonitorExplanation,
  targets: ReadonlyMap<string, JobTargets>,
): Line[] {
  return [
    title(formatRef(monitor)),
    ...(verdicts.length === 0
      ? [{ text: "  not selected: nothing that was selected looks for monitors." }]
      : verdicts.map(verdictLine)),
    ...jobs.map((job) => jobLine(job, targets.get(job))),
    ...problemLines(problems),
    ...noteLines(notes),
  ];
}

function jobLine(job: string, found: JobTargets | undefined): Line {
  if (found === undefined) return { style: "green", text: `  job ${job}` };
  const { targets, message } = found;
  if (message !== undefined) return { style: "yellow", text: `  job ${job}: no target. ${message}` };
  return { style: "green", text: `  job ${job}: ${targets === 1 ? "1 target" : `${targets} targets`}` };
}

function title(text: string): Line {
  return { style: "bold", text };
}

function verdictLine({ by, selected, reason }: SearchVerdict): Line {
  return { text: `  ${selected ? "selected" : "not selected"} by ${formatRef(by)}: ${reason}` };
}

function problemLines(problems: readonly Problem[]): Line[] {
  return problems.map(({ message, fix }) => ({ style: "red", text: `  rejected: ${message} ${fix}` }));
}

function noteLines(notes: readonly string[]): Line[] {
  return notes.map((note) => ({ text: `  note: ${note}` }));
}
