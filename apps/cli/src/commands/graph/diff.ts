import type { GraphData } from "@bowline/api";
import { shortened } from "@bowline/core";
import type { Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { addExamples } from "../../command/command-set.ts";
import { noHeadersOption, outputOption, parseSince } from "../../command/shared-options.ts";
import {
  answerTable,
  edgeCells,
  nodeCells,
  type AnswerNode,
  type TableOptions,
  sectionsText,
} from "./answer-text.ts";
import { askQuestion } from "./ask-question.ts";
import { nodeParameter } from "./node-argument.ts";
import type { QuestionOptions } from "./question-options.ts";

interface DiffOptions extends QuestionOptions {
  readonly namespace?: string;
}

export function addDiff(command: Command, context: CommandContext): void {
  const diff = command
    .command("diff")
    .summary("Show what came, went and changed between two times")
    .description(
      "Show what came, went and changed in the graph between two times: objects, and what they refer to. What is inside of a pod, and the references of what came or went as a whole, are shown with -o wide only.",
    )
    .argument("<FROM>", "The first time: so long ago, as 10m or 2h, or a time in RFC 3339")
    .argument("[TO]", "The second one; now if not given")
    .option("--cluster <NAME>", "Only in this cluster, instead of all that you may see")
    .option("-n, --namespace <NAMESPACE>", "Only in this namespace")
    .addOption(outputOption(["table", "wide", "json", "yaml", "name"], "table"))
    .option(...noHeadersOption)
    .action((from: string, to: string | undefined, options: DiffOptions) =>
      showDiff(context, [from, to], options),
    );
  addExamples(diff, [
    { does: "What has changed in the last ten minutes", run: "bowline graph diff 10m" },
    {
      does: "What a night did to a namespace",
      run: "bowline graph diff 2026-01-02T22:00:00Z 2026-01-03T06:00:00Z -n shop --cluster prod",
    },
  ]);
}

type DiffData = GraphData<"diff">;

async function showDiff(
  context: CommandContext,
  [from, to]: readonly [string, string | undefined],
  options: DiffOptions,
): Promise<void> {
  const nowMs = context.clock.now();
  await askQuestion(
    context,
    {
      name: "diff",
      query: {
        from: parseSince(from, nowMs),
        to: to === undefined ? undefined : parseSince(to, nowMs),
        namespace: options.namespace,
      },
      table: diffText,
      nodes: ({ nodes }) => nodes.map(({ node }) => node),
      whenNone: ({ total }) =>
        total === 0 ? "Nothing has changed." : "Nothing has changed that is worth a line; -o wide shows all.",
    },
    options,
  );
}

function diffText({ nodes, edges }: DiffData, options: TableOptions): string {
  const isWhole = new Set(nodes.filter(({ change }) => change !== "changed").map(({ node }) => keyOf(node)));
  const shownNodes = options.wide ? nodes : nodes.filter(({ node }) => !isPart(node));
  const shownEdges = options.wide
    ? edges
    : edges.filter(({ from, to }) => !isWhole.has(keyOf(from)) && !isWhole.has(keyOf(to)));
  return sectionsText([
    { title: "Objects:", text: nodeTable(shownNodes, options) },
    { title: "References:", text: edgeTable(shownEdges, options) },
  ]);
}

function keyOf(node: AnswerNode): string {
  return "withheld" in node ? "" : `${node.cluster ?? ""} ${nodeParameter(node)}`;
}

function isPart(node: AnswerNode): boolean {
  return !("withheld" in node) && (node.kind === "Container" || node.kind === "Volume");
}

function nodeTable(nodes: DiffData["nodes"], { headers }: TableOptions): string {
  const rows = nodes.map(({ change, node, remade, properties = [] }) => {
    const [cluster, name] = nodeCells(node);
    const again = remade === true ? ["made again"] : [];
    return [change, cluster, name, [...again, ...properties.map(propertyText)].join("; ")];
  });
  return answerTable(["CHANGE", "CLUSTER", "NAME", "WHAT"], rows, { headers });
}

function edgeTable(edges: DiffData["edges"], { headers }: TableOptions): string {
  const rows = edges.map(({ change, from, edge }) => [change, nodeCells(from)[0], edgeCells(edge).sentence]);
  return answerTable(["CHANGE", "CLUSTER", "REFERENCE"], rows, { headers });
}

/** Longer values are in `-o json`. */
const longestValue = 60;

/** `replicas: 2 → 3`. */
function propertyText({
  name,
  before,
  after,
}: NonNullable<DiffData["nodes"][number]["properties"]>[number]): string {
  return `${name}: ${valueText(before)} → ${valueText(after)}`;
}

function valueText(value: unknown): string {
  const text = value === undefined ? "<none>" : typeof value === "string" ? value : JSON.stringify(value);
  return shortened(text, longestValue);
}
