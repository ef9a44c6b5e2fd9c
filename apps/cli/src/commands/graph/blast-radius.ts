import type { GraphData } from "@bowline/api";
import type { Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { addExamples } from "../../command/command-set.ts";
import { printableLine } from "../../output/terminal-text.ts";
import {
  answerTable,
  danglingNotes,
  edgeCells,
  nodeCells,
  sectionsText,
  type TableOptions,
} from "./answer-text.ts";
import { askAboutNodes } from "./ask-clusters.ts";
import { noSuchNode } from "./no-such-node.ts";
import { nodeName, nodeParameter, nodeUsage, parseNodeArguments } from "./node-argument.ts";
import { addQuestionOptions, namespaceOption } from "./question-options.ts";
import type { NodeOptions } from "./uses.ts";

export function addBlastRadius(command: Command, context: CommandContext): void {
  const radius = command
    .command("blast-radius")
    .usage(`${nodeUsage} [FLAGS]`)
    .summary("Show what depends on something, and where one gets from it")
    .description(
      "Show what is concerned when something happens to an object: all that depends on it, hop by hop, and all that somebody reaches who has taken it over. Each with the sentence that says why.",
    )
    .argument("<NODE...>", "Where to begin: secret/shop/db, or secret db -n shop")
    .option(...namespaceOption);
  addQuestionOptions(radius).action((args: string[], options: NodeOptions) =>
    showBlastRadius(context, args, options),
  );
  addExamples(radius, [
    { does: "What breaks when a ConfigMap goes", run: "bowline graph blast-radius cm/shop/settings" },
    {
      does: "Where somebody gets who has taken over a pod",
      run: "bowline graph blast-radius pod/shop/web-0",
    },
  ]);
}

async function showBlastRadius(context: CommandContext, args: readonly string[], options: NodeOptions) {
  const node = parseNodeArguments(args, options.namespace);
  await askAboutNodes(
    context,
    {
      name: "blast-radius",
      query: { node: nodeParameter(node) },
      check: async ({ found }, reply) => {
        if (!found) throw await noSuchNode(context, node, reply, options);
      },
      table: (data, table) => radiusText(data, nodeName(node), table),
      notes: ({ start }) => (start === undefined ? [] : danglingNotes(start)),
      nodes: ({ depending, reached }) => [...depending, ...reached].map((each) => each.node),
      whenNone: () => `Nothing depends on ${nodeName(node)}, and nothing is reached from it.`,
    },
    [node],
    options,
  );
}

type BlastRadius = GraphData<"blast-radius">;

function radiusText({ depending, reached }: BlastRadius, name: string, options: TableOptions): string {
  return sectionsText([
    { title: `Depends on ${printableLine(name)}:`, text: concernedTable(depending, options) },
    { title: `Reached from ${printableLine(name)}:`, text: concernedTable(reached, options) },
  ]);
}

function concernedTable(concerned: BlastRadius["reached"], { wide, headers }: TableOptions): string {
  const rows = concerned.map(({ node, hop, after, because, replicas = 1 }) => {
    const [cluster, name] = nodeCells(node);
    const names = replicas === 1 ? name : `${name} and ${replicas - 1} more`;
    return [String(hop), cluster, names, ...(wide ? [nodeCells(after)[1]] : []), edgeCells(because).sentence];
  });
  return answerTable(["HOP", "CLUSTER", "NAME", ...(wide ? ["AFTER"] : []), "BECAUSE"], rows, { headers });
}
