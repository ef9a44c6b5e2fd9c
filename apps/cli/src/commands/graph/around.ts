import type { GraphData } from "@bowline/api";
import { InvalidArgumentError, type Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { addExamples } from "../../command/command-set.ts";
import { answerTable, edgeCells, nodeCells, type TableOptions } from "./answer-text.ts";
import { askAboutNodes } from "./ask-clusters.ts";
import { noSuchNode } from "./no-such-node.ts";
import { nodeName, nodeParameter, nodeUsage, parseNodeArguments } from "./node-argument.ts";
import { addQuestionOptions, namespaceOption } from "./question-options.ts";
import type { NodeOptions } from "./uses.ts";

interface AroundOptions extends NodeOptions {
  readonly depth?: number;
  readonly edges?: string;
}

export function addAround(command: Command, context: CommandContext): void {
  const around = command
    .command("around")
    .usage(`${nodeUsage} [FLAGS]`)
    .summary("Show what is around an object, what is in trouble first")
    .description(
      "Show what an object has to do with, hop by hop and in both directions: what is in trouble comes first, and what is alike is one line. What is inside of a pod is the pod. At most 200 lines are shown, and what there was no room for is counted.",
    )
    .argument("<NODE...>", "What to look at: deploy/shop/web, or deploy web -n shop")
    .option(...namespaceOption)
    .option("--depth <HOPS>", "How many hops to go, from 1 to 3; 2 if not given", parseDepth)
    .option("--edges <TYPES>", "Only over edges of these types, as OWNS,USES_SECRET");
  addQuestionOptions(around).action((args: string[], options: AroundOptions) =>
    showAround(context, args, options),
  );
  addExamples(around, [
    { does: "What a workload consists of, uses and is used by", run: "bowline graph around deploy/shop/web" },
    {
      does: "What a pod was part of an hour ago",
      run: "bowline graph around pod/shop/web-0 --edges OWNS --depth 3 --at 1h",
    },
  ]);
}

function parseDepth(text: string): number {
  if (/^[123]$/u.test(text)) return Number(text);
  throw new InvalidArgumentError("It is a number from 1 to 3.");
}

async function showAround(context: CommandContext, args: readonly string[], options: AroundOptions) {
  const node = parseNodeArguments(args, options.namespace);
  await askAboutNodes(
    context,
    {
      name: "around",
      query: { node: nodeParameter(node), depth: options.depth, edges: options.edges },
      check: async ({ found }, reply) => {
        if (!found) throw await noSuchNode(context, node, reply, options);
      },
      table: aroundTable,
      notes: ({ leftOut }) => leftOutNotes(leftOut),
      nodes: ({ nodes }) => nodes.map((each) => each.node),
      whenNone: () => `Nothing has to do with ${nodeName(node)}.`,
    },
    [node],
    options,
  );
}

type Around = GraphData<"around">;

/** Each with the first edge that leads nearer to the middle. */
function aroundTable({ nodes, edges }: Around, { wide, headers }: TableOptions): string {
  if (nodes.length < 2) return "";
  const rows = nodes.map(({ node, hop, trouble = "", replicas = 1 }, place) => {
    const [cluster, name] = nodeCells(node);
    const own = edges.filter(({ from, to }) => from === place || to === place);
    const nearer = own.filter(({ from, to }) => (nodes[from === place ? to : from]?.hop ?? hop) < hop);
    const because = (wide ? own : nearer.slice(0, 1)).map(({ edge }) => edgeCells(edge).sentence).join("; ");
    const names = replicas === 1 ? name : `${name} and ${replicas - 1} more`;
    return [String(hop), cluster, names, trouble, because];
  });
  return answerTable(["HOP", "CLUSTER", "NAME", "TROUBLE", "BECAUSE"], rows, { headers });
}

function leftOutNotes(leftOut: Around["leftOut"]): string[] {
  if (leftOut.length === 0) return [];
  const groups = leftOut.map(({ kind, trouble, count }) =>
    [String(count), kind === "" ? "withheld" : kind, trouble ?? ""].filter((part) => part !== "").join(" "),
  );
  return [`No room for: ${groups.join(", ")}.`];
}
