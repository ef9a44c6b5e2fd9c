import type { GraphAnswer } from "@bowline/api";
import { BowlineError, closest } from "@bowline/core";

import type { CommandContext } from "../../command/command-context.ts";
import { nodeName, type NodeArgument } from "./node-argument.ts";
import { questionScope, type QuestionOptions } from "./question-options.ts";

/** So much of a name is searched for where the whole is found nowhere: most slips are further behind. */
const beginningOf = (name: string): string => name.slice(0, Math.min(3, Math.ceil(name.length / 2)));

type Frame = Omit<GraphAnswer, "data">;

/** The error for something that no cluster has, with what was probably meant. */
export async function noSuchNode(
  context: CommandContext,
  node: NodeArgument,
  frame: Frame,
  options: QuestionOptions,
): Promise<BowlineError> {
  const { clusters, notObserved, withheldClusters } = frame;
  const place = clusters.length === 1 ? ` in ${clusters[0]}` : " in any cluster";
  const where = options.at === undefined ? place : `${place} at ${frame.asOf}`;
  const seen = withheldClusters > 0 ? " that you may see" : "";
  const gaps = [...new Set(notObserved.map(({ cluster }) => cluster))];
  const blind = gaps.length === 0 ? "" : `; not everything is observed in ${gaps.slice(0, 3).join(", ")}`;
  const meant = await nearest(context, node, options).catch(() => undefined);
  const hint = meant === undefined ? "" : ` Did you mean ${meant}?`;
  return new BowlineError("NotFound", `There is no ${nodeName(node)}${where}${seen}${blind}.${hint}`);
}

/** The same name elsewhere, else the name that is most like it. */
async function nearest(
  context: CommandContext,
  { kind, namespace, name }: NodeArgument,
  options: QuestionOptions,
): Promise<string | undefined> {
  const client = await context.client();
  const find = async (text: string): Promise<NodeArgument[]> => {
    const query = { text, kind, ...questionScope(options, context.clock.now()) };
    const { data } = await client.askGraph("search", query, { signal: context.signal });
    return data.hits.flatMap(({ node }) => ("withheld" in node || node.kind !== kind ? [] : [node]));
  };
  const same = (await find(name)).find((hit) => hit.name === name);
  if (same !== undefined) return nodeName(same);
  const alike = await find(beginningOf(name));
  const best = closest(
    name,
    alike.map((hit) => hit.name),
  );
  const found = alike.filter((hit) => hit.name === best);
  const nearby = found.find((hit) => hit.namespace === namespace) ?? found[0];
  return nearby === undefined ? undefined : nodeName(nearby);
}
