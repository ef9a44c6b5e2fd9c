import type { GraphQuestionName } from "@bowline/api";
import { BowlineError } from "@bowline/core";

import type { CommandContext } from "../../command/command-context.ts";
import { askQuestion, type Question } from "./ask-question.ts";
import type { NodeArgument } from "./node-argument.ts";
import { questionScope, type QuestionOptions } from "./question-options.ts";

/**
 * Asks about things that are named. Where several clusters have things of such a name, each that has all of them is
 * asked in turn: the same workload runs in many.
 */
export async function askAboutNodes<Name extends GraphQuestionName>(
  context: CommandContext,
  question: Question<Name>,
  nodes: readonly NodeArgument[],
  options: QuestionOptions,
): Promise<void> {
  try {
    await askQuestion(context, question, options);
  } catch (thrown) {
    const isAmbiguous = thrown instanceof BowlineError && thrown.code === "InvalidArgument";
    // A program expects one document.
    const isForPeople = options.output === "table" || options.output === "wide" || options.output === "name";
    if (!isAmbiguous || !isForPeople || options.cluster !== undefined) throw thrown;
    const clusters = await clustersWith(context, nodes, options);
    if (clusters.length === 0) throw thrown;
    for (const [index, cluster] of clusters.entries()) {
      if (index > 0 && options.output !== "name") context.terminal.out("\n");
      await askQuestion(context, question, { ...options, cluster });
    }
  }
}

/** The clusters that have all of them. */
async function clustersWith(
  context: CommandContext,
  nodes: readonly NodeArgument[],
  options: QuestionOptions,
): Promise<string[]> {
  const client = await context.client();
  const scope = questionScope(options, context.clock.now());
  const found = await Promise.all(
    nodes.map(async ({ kind, namespace, name }) => {
      const query = { text: name, kind, limit: mostHits, ...scope };
      const { data } = await client.askGraph("search", query, { signal: context.signal });
      const same = data.hits.flatMap(({ node }) =>
        !("withheld" in node) && node.name === name && node.namespace === namespace
          ? [node.cluster ?? ""]
          : [],
      );
      return new Set(same);
    }),
  );
  const [first = new Set<string>(), ...others] = found;
  return [...others.reduce((all, one) => all.intersection(one), first)].filter(Boolean).toSorted();
}

/** Exact ones come first. */
const mostHits = 1_000;
