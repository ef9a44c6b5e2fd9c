import type { GraphData } from "@bowline/api";
import type { Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { addExamples } from "../../command/command-set.ts";
import { parseCount } from "../../command/shared-options.ts";
import { answerTable, nodeCells, type TableOptions } from "./answer-text.ts";
import { askQuestion } from "./ask-question.ts";
import { requireNodeKind } from "./node-kinds.ts";
import { addQuestionOptions, type QuestionOptions } from "./question-options.ts";

interface SearchOptions extends QuestionOptions {
  readonly kind?: string;
  readonly limit: number;
}

export function addSearchCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("search")
    .description(
      "Find objects of all clusters by a part of their name, a label, an image, an IP address or a uid; what fits best comes first.",
    )
    .argument("<TEXT>", "What to look for; capitals do not matter")
    .option("--kind <NODE-KIND>", "Only of this kind, such as pod or svc")
    .option("--limit <COUNT>", "Show no more than so many", parseCount, 50);
  addQuestionOptions(command).action((text: string, options: SearchOptions) =>
    searchAndPrint(context, text, options),
  );
  addExamples(command, [
    { does: "Find something by its name, in every cluster", run: "bowline search checkout" },
    { does: "Whose IP address is this", run: "bowline search 10.1.2.3" },
    { does: "Pods with a label", run: "bowline search app=web --kind pod" },
    { does: "What had this uid yesterday", run: "bowline search 9f566f75-dbe2 --at 1d" },
  ]);
}

async function searchAndPrint(context: CommandContext, text: string, options: SearchOptions): Promise<void> {
  const { kind, limit } = options;
  const query = {
    text,
    kind: kind === undefined ? undefined : requireNodeKind(kind).kind,
    limit: Math.min(limit, mostHits),
  };
  await askQuestion(
    context,
    {
      name: "search",
      query,
      table: hitTable,
      nodes: ({ hits }) => hits.map(({ node }) => node),
      whenNone: () => `Nothing has «${text}» in its name, labels, images, IP addresses or uid.`,
      notes: ({ total, hits }) =>
        total > hits.length ? [`Showing the best ${hits.length} of ${total}; --limit shows more.`] : [],
      isPaged: true,
    },
    options,
  );
}

/** The server tells no more at once. */
const mostHits = 1_000;

function hitTable({ hits }: GraphData<"search">, { wide, headers }: TableOptions): string {
  const rows = hits.map(({ node, field, text, match }) => {
    const [cluster, name] = nodeCells(node);
    const uid = "withheld" in node ? "" : (node.uid ?? "");
    return [cluster, name, field, text, ...(wide ? [match, uid] : [])];
  });
  return answerTable(["CLUSTER", "NAME", "FOUND-IN", "TEXT", ...(wide ? ["MATCH", "UID"] : [])], rows, {
    headers,
  });
}
