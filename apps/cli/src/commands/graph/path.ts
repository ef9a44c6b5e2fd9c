import type { GraphData } from "@bowline/api";
import type { Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { addExamples } from "../../command/command-set.ts";
import { printableLine } from "../../output/terminal-text.ts";
import { edgeCells, nodeCells, type TableOptions } from "./answer-text.ts";
import { askAboutNodes } from "./ask-clusters.ts";
import { noSuchNode } from "./no-such-node.ts";
import { nodeName, nodeParameter, parseNode, type NodeArgument } from "./node-argument.ts";
import { addQuestionOptions, namespaceOption } from "./question-options.ts";
import type { NodeOptions } from "./uses.ts";

export function addPath(command: Command, context: CommandContext): void {
  const path = command
    .command("path")
    .summary("Show how one gets from one thing to another, and where to cut it")
    .description(
      "Show the shortest way from one object to another, hop by hop, each as a sentence with the field that says so, and which hop to remove against it. Where there is a way back only, that one is shown.",
    )
    .argument("<FROM>", "Where to begin: svc/shop/web")
    .argument("<TO>", "Where to get to: secret/shop/db")
    .option(...namespaceOption);
  addQuestionOptions(path).action((from: string, to: string, options: NodeOptions) =>
    showPath(context, [from, to], options),
  );
  addExamples(path, [
    {
      does: "Whether a Service leads to a Secret, and through what",
      run: "bowline graph path svc/shop/web secret/shop/db",
    },
    {
      does: "Between two things of one namespace of one cluster",
      run: "bowline graph path -n shop ing/web pvc/data --cluster edge",
    },
  ]);
}

async function showPath(context: CommandContext, ends: readonly [string, string], options: NodeOptions) {
  const [from, to] = [parseNode(ends[0], options.namespace), parseNode(ends[1], options.namespace)];
  await askAboutNodes(
    context,
    {
      name: "path",
      query: { from: nodeParameter(from), to: nodeParameter(to) },
      check: async (data, reply) => {
        if (data.from === undefined) throw await noSuchNode(context, from, reply, options);
        if (data.to === undefined) throw await noSuchNode(context, to, reply, options);
      },
      table: (data, table) => pathText(data, [from, to], table),
      nodes: ({ hops }) => hops.flatMap((hop, index) => (index === 0 ? [hop.from, hop.to] : [hop.to])),
      whenNone: () => `No path leads from ${nodeName(from)} to ${nodeName(to)}, nor back.`,
    },
    [from, to],
    options,
  );
}

type PathData = GraphData<"path">;

/** Hops are numbered: the cut names one of them. */
function pathText(
  answer: PathData,
  [from, to]: readonly [NodeArgument, NodeArgument],
  options: TableOptions,
) {
  const { found, hops, alternatives, cut } = answer;
  if (!found) return "";
  const [start, end] = answer.direction === "forward" ? [from, to] : [to, from];
  const back = answer.direction === "forward" ? "" : "No path leads there, but one leads back.\n";
  const others = alternatives > 1 ? `, the first of ${alternatives} that are as short` : "";
  const [where] = hops[0] === undefined ? [""] : nodeCells(hops[0].from);
  const count = hops.length === 1 ? "1 hop" : `${hops.length} hops`;
  const lines = [
    ...(options.headers ? [`${back}${where}: ${nodeName(start)} → ${nodeName(end)}: ${count}${others}`] : []),
    ...hops.flatMap((hop, index) => hopLines(hop, index, options)),
    `Cut: ${cut.hop === undefined ? "" : `hop ${cut.hop + 1}. `}${cut.sentence}`,
  ];
  return lines.map((line) => `${line.split("\n").map(printableLine).join("\n")}\n`).join("");
}

/** Of several edges between the two, each would do; the first tells, the others are shown with `-o wide`. */
function hopLines(
  { from, to, edges }: PathData["hops"][number],
  index: number,
  { wide }: TableOptions,
): string[] {
  const sentences = edges.map((edge) => edgeCells(edge).sentence);
  const [first = `${nodeCells(from)[1]} leads to ${nodeCells(to)[1]}`, ...others] = sentences;
  const more = others.length === 0 || wide ? "" : `, and ${others.length} more`;
  return [
    `  ${index + 1}. ${first}${more}`,
    ...(wide ? others.map((sentence) => `     or ${sentence}`) : []),
  ];
}
