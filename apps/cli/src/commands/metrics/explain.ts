import {
  factKinds,
  factsOfObjects,
  formatRef,
  TargetCounter,
  type Job,
  type KubeObject,
  type MonitorExplanation,
  type Problem,
  type SearchVerdict,
} from "@bowline/monitoring";

import type { CommandContext } from "../../command/command-context.ts";
import type { Paint } from "../../command/terminal.ts";
import { printableLine } from "../../output/terminal-text.ts";
import { toDocument } from "../../output/to-document.ts";
import { readKubeObjects } from "./read-kube-objects.ts";
import { printWarnings, renderRoots, type RenderedRoot, type RenderFlags } from "./render.ts";

export interface ExplainFlags extends RenderFlags {
  readonly output: "text" | "json" | "yaml";
}

/** Prints what became of each monitor; tells whether anything was left out. */
export async function printExplanation(context: CommandContext, options: ExplainFlags): Promise<boolean> {
  const objects = await readKubeObjects(context, options.filename, options);
  const { roots, warnings } = renderRoots(objects, options);
  const targetsOf = jobTargets(objects);
  if (options.output === "text") {
    const explained = roots.map((root) => explainRoot(root, targetsOf(root.result.jobs), context.paint));
    context.terminal.out(explained.join("\n"));
  } else {
    const explanations = roots.map(({ ref, result }) => ({
      ...result.explanation,
      root: ref,
      rejected: result.rejected,
      references: result.references,
      targets: targetsOf(result.jobs),
    }));
    context.terminal.out(await toDocument(explanations, options.output));
  }
  printWarnings(context, warnings);
  return roots.some(({ result }) => result.rejected.length > 0);
}

interface Line {
  readonly text: string;
  readonly style?: Parameters<Paint>[0];
}

/** The explanation of a root as text: the root, its instances, then monitor by monitor. */
function explainRoot({ ref, result }: RenderedRoot, targets: readonly JobTargets[], paint: Paint): string {
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

/** The targets that a job finds among the objects in the files. */
interface JobTargets {
  readonly job: string;
  readonly targets: number;
  /** Why there are none. */
  readonly message?: string;
}

/** Of each job for which the files say enough: without any Service among them, nobody knows what there is. */
function jobTargets(objects: readonly KubeObject[]): (jobs: readonly Job[]) => JobTargets[] {
  const { facts, kinds } = factsOfObjects(objects);
  const counter = new TargetCounter(facts);
  return (jobs) =>
    jobs.flatMap(({ name: job, targets: query }) => {
      const needed = factKinds(query);
      if (needed.length === 0 || needed.some((kind) => !kinds.has(kind))) return [];
      const targets = counter.count(query) ?? 0;
      return [{ job, targets, ...(targets === 0 ? { message: counter.whyNone(query) } : {}) }];
    });
}
