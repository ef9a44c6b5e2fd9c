import type { GraphData } from "@bowline/api";
import type { Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { addExamples } from "../../command/command-set.ts";
import { CommandExit } from "../../command/failure.ts";
import { printableLine } from "../../output/terminal-text.ts";
import { answerTable, edgeCells, nodeCells, type TableOptions } from "./answer-text.ts";
import { askQuestion } from "./ask-question.ts";
import { addQuestionOptions, type QuestionOptions } from "./question-options.ts";
import { failOnOption, isAtLeast, paintSeverity, type Severity } from "./severity.ts";

interface ExposureOptions extends QuestionOptions {
  readonly namespace?: string;
  readonly failOn?: Severity;
}

export function addExposure(command: Command, context: CommandContext): void {
  const exposure = command
    .command("exposure")
    .summary("Show which Secrets can be read from behind what is reached from outside")
    .description(
      "Show which Secrets somebody can read who has taken over a pod behind a Service that is reached from outside: by a LoadBalancer, a NodePort, an Ingress or a Gateway. Through fields of the pod, or by the rights of its ServiceAccount. With -o wide hop by hop, with what to remove against it.\n\nIt exits with 0, whatever it finds, unless --fail-on is given.",
    )
    .option("-n, --namespace <NAMESPACE>", "Only Services of this namespace")
    .addOption(failOnOption());
  addQuestionOptions(exposure).action((options: ExposureOptions) => showExposures(context, options));
  addExamples(exposure, [
    { does: "What the world could get at, in all clusters", run: "bowline graph exposure" },
    { does: "How, and what to remove against it", run: "bowline graph exposure --cluster prod -o wide" },
  ]);
}

type Exposure = GraphData<"exposure">["exposures"][number];

async function showExposures(context: CommandContext, options: ExposureOptions): Promise<void> {
  const { namespace, failOn } = options;
  const { data } = await askQuestion(
    context,
    {
      name: "exposure",
      query: { namespace },
      table: ({ exposures }, table) =>
        table.wide ? waysText(exposures) : exposureTable(context, exposures, table),
      nodes: ({ exposures }) => exposures.map(({ secret }) => secret),
      whenNone: () => "No Secret can be read from behind a Service that is reached from outside.",
    },
    options,
  );
  if (data.exposures.some(({ severity }) => isAtLeast(severity, failOn))) throw new CommandExit(1);
}

function exposureTable(
  { paint }: CommandContext,
  exposures: readonly Exposure[],
  { headers }: TableOptions,
): string {
  const rows = exposures.map(({ id, severity, service, entry, secret, ways, cut, cuts }) => {
    const [cluster, name] = nodeCells(service);
    // Several would make a line of them that nobody reads.
    const toRemove = cuts.length === 1 ? cut : `${cuts.length} things: see -o wide`;
    return [severity, cluster, name, entry, nodeCells(secret)[1], String(ways), toRemove, id];
  });
  const columns = ["SEVERITY", "CLUSTER", "SERVICE", "REACHED-BY", "SECRET", "WAYS", "CUT", "ID"];
  return answerTable(columns, rows, { headers, style: paintSeverity(paint) });
}

/** Each with its hops, as a path has them. */
function waysText(exposures: readonly Exposure[]): string {
  const blocks = exposures.map(({ id, severity, service, entry, secret, hops, ways, cut, cuts }) => {
    const [cluster, name] = nodeCells(service);
    const more = ways > 1 ? `, one of ${ways} ways` : "";
    return [
      `${severity}: ${cluster}: ${name} (${entry}) → ${nodeCells(secret)[1]}${more}`,
      ...hops.map(({ edges }, index) => `  ${index + 1}. ${edgesText(edges)}`),
      ...(cuts.length === 1
        ? [`Cut: ${cut}`]
        : [`Cut all ${cuts.length}:`, ...cuts.map((each) => `  - ${each}`)]),
      `Id: ${id}`,
    ];
  });
  return blocks.map((lines) => lines.map((line) => `${printableLine(line)}\n`).join("")).join("\n");
}

function edgesText(edges: Exposure["hops"][number]["edges"]): string {
  const [first, ...others] = edges.map((edge) => edgeCells(edge).sentence);
  return `${first ?? "A step that is withheld"}${others.length === 0 ? "" : `, and ${others.length} more`}`;
}
