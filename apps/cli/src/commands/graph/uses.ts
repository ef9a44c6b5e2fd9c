import type { GraphData } from "@bowline/api";
import type { Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { addExamples } from "../../command/command-set.ts";
import { answerTable, danglingNotes, edgeCells, nodeCells, type TableOptions } from "./answer-text.ts";
import { askAboutNodes } from "./ask-clusters.ts";
import { noSuchNode } from "./no-such-node.ts";
import { nodeName, nodeParameter, nodeUsage, parseNodeArguments } from "./node-argument.ts";
import { addQuestionOptions, namespaceOption, type QuestionOptions } from "./question-options.ts";

export interface NodeOptions extends QuestionOptions {
  readonly namespace?: string;
}

export function addUses(command: Command, context: CommandContext): void {
  const uses = command
    .command("uses")
    .usage(`${nodeUsage} [FLAGS]`)
    .summary("Show who uses a Secret, ConfigMap, claim, image or ServiceAccount")
    .description(
      "Show who uses a Secret, a ConfigMap, a PersistentVolumeClaim, an image or a ServiceAccount: each pod with the workload that owns it, and the field that says so. What is meant to be used, and has no pods, is shown itself.\n\nImages are named by digest, or by reference as in a manifest.",
    )
    .argument("<NODE...>", "What is used: secret/shop/db, or secret db -n shop")
    .option(...namespaceOption);
  addQuestionOptions(uses).action((args: string[], options: NodeOptions) => showUses(context, args, options));
  addExamples(uses, [
    { does: "Who reads a Secret, and through which field", run: "bowline graph uses secret/shop/db" },
    { does: "Who runs an image, in every cluster", run: "bowline graph uses image nginx:1.27" },
    { does: "Who ran as a ServiceAccount two hours ago", run: "bowline graph uses sa/shop/web --at 2h" },
  ]);
}

async function showUses(context: CommandContext, args: readonly string[], options: NodeOptions) {
  const node = parseNodeArguments(args, options.namespace);
  await askAboutNodes(
    context,
    {
      name: "uses",
      query: { node: nodeParameter(node) },
      check: async ({ found }, reply) => {
        if (!found) throw await noSuchNode(context, node, reply, options);
      },
      table: ({ users }, table) => usersTable(users, table),
      notes: ({ target }) => (target === undefined ? [] : danglingNotes(target)),
      nodes: ({ users }) => users.map(({ user }) => user),
      whenNone: () => `Nothing uses ${nodeName(node)}.`,
    },
    [node],
    options,
  );
}

type User = GraphData<"uses">["users"][number];

/** A row for each way: who looks for a field wants to see every one. */
function usersTable(users: readonly User[], { wide, headers }: TableOptions): string {
  const rows = users.flatMap(({ user, owners, ways, optional }) => {
    const [cluster, name] = nodeCells(user);
    const top = owners.at(-1);
    const owner = top === undefined ? "<none>" : nodeCells(top)[1];
    return ways.map((way) => {
      const steps = way.map(edgeCells);
      const field = `${steps.at(-1)?.field ?? ""}${optional ? " (optional)" : ""}`;
      const sentences = steps.map(({ sentence }) => sentence).join("; ");
      return [cluster, name, owner, field, ...(wide ? [sentences] : [])];
    });
  });
  return answerTable(["CLUSTER", "USER", "OWNED-BY", "FIELD", ...(wide ? ["HOW"] : [])], rows, { headers });
}
