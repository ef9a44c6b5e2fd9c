import type { GraphData } from "@bowline/api";
import type { Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { addExamples } from "../../command/command-set.ts";
import { answerTable, edgeCells, nodeCells, sectionsText, type TableOptions } from "./answer-text.ts";
import { askQuestion } from "./ask-question.ts";
import { addQuestionOptions, type QuestionOptions } from "./question-options.ts";

interface OrphansOptions extends QuestionOptions {
  readonly namespace?: string;
}

export function addOrphans(command: Command, context: CommandContext): void {
  const orphans = command
    .command("orphans")
    .summary("Show what nobody uses, and what is used and is not there")
    .description(
      "Show Secrets, ConfigMaps, PersistentVolumeClaims and ServiceAccounts that nobody uses, and what somebody refers to that is not there. What every cluster has, such as the ServiceAccount default, is counted and not shown.\n\nNobody knows of programs that read things through the API: look before you delete.",
    )
    .option("-n, --namespace <NAMESPACE>", "Only in this namespace");
  addQuestionOptions(orphans).action((options: OrphansOptions) => showOrphans(context, options));
  addExamples(orphans, [
    { does: "What could be cleared away in a namespace", run: "bowline graph orphans -n shop" },
    { does: "The names alone, for a program", run: "bowline graph orphans --cluster prod -o name" },
  ]);
}

async function showOrphans(context: CommandContext, options: OrphansOptions): Promise<void> {
  await askQuestion(
    context,
    {
      name: "orphans",
      query: { namespace: options.namespace },
      table: orphansText,
      nodes: ({ unused }) => unused.map(({ node }) => node),
      whenNone: () => "Everything is used, and everything that is used is there.",
      notes: ({ expected, unknown }) => [
        ...expectedNotes(expected),
        ...(unknown > 0
          ? [`${unknown} references are to kinds that are not observed: nobody knows whether they exist.`]
          : []),
      ],
    },
    options,
  );
}

function orphansText({ unused, dangling }: GraphData<"orphans">, { wide, headers }: TableOptions): string {
  const unusedRows = unused.map(({ node, bound }) => [
    ...nodeCells(node),
    bound === true ? "It has rights: its token may be in use outside of the cluster" : "",
  ]);
  const danglingRows = dangling.flatMap(({ node, references, optional }) => {
    const [cluster, name] = nodeCells("withheld" in node ? node : { ...node, dangling: false });
    const shown = wide ? references : references.slice(0, 1);
    const more = wide ? 0 : references.length - shown.length;
    return shown.map(({ from, edge }) => [
      cluster,
      name,
      `${nodeCells(from)[1]}${more > 0 ? ` and ${more} more` : ""}`,
      `${edgeCells(edge).field}${optional ? " (optional)" : ""}`,
    ]);
  });
  return sectionsText([
    { title: "Nobody uses:", text: answerTable(["CLUSTER", "NAME", "NOTE"], unusedRows, { headers }) },
    {
      title: "Referred to, and not there:",
      text: answerTable(["CLUSTER", "NAME", "WANTED-BY", "FIELD"], danglingRows, { headers }),
    },
  ]);
}

function expectedNotes(expected: Readonly<Record<string, number>>): string[] {
  const reasons = Object.entries(expected).filter(([, count]) => count > 0);
  if (reasons.length === 0) return [];
  return [
    `Left out, as they are meant to be there: ${reasons.map(([why, count]) => `${count} (${why})`).join(", ")}.`,
  ];
}
