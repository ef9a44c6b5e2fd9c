import { formatRef, type MonitorExplanation, type Problem, type SearchVerdict } from "@bowline/monitoring";

import { printableLine } from "../../output/printable.ts";
import type { Paint } from "../../terminal/paint.ts";
import type { RenderedRoot } from "./render-roots.ts";

interface Line {
  readonly text: string;
  readonly style?: Parameters<Paint>[0];
}

/** What became of everything under a root, as text: the root, its instances, then monitor by monitor. */
export function explainRoot({ ref, result }: RenderedRoot, paint: Paint): string {
  const { explanation, rejected, jobs } = result;
  const problems = new Map(rejected.map((each) => [formatRef(each.object), each.problems]));
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
    ...explanation.monitors.map(monitorLines),
  ];
  const shown = ({ text, style }: Line): string =>
    style === undefined ? printableLine(text) : paint(style, printableLine(text));
  return blocks.map((lines) => `${lines.map(shown).join("\n")}\n`).join("\n");
}

function monitorLines({ monitor, verdicts, jobs, problems, notes }: MonitorExplanation): Line[] {
  return [
    title(formatRef(monitor)),
    ...(verdicts.length === 0
      ? [{ text: "  not selected: nothing that was selected looks for monitors." }]
      : verdicts.map(verdictLine)),
    ...jobs.map((job): Line => ({ style: "green", text: `  job ${job}` })),
    ...problemLines(problems),
    ...noteLines(notes),
  ];
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
