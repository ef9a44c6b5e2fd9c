import type { GraphData } from "@bowline/api";
import { BowlineError } from "@bowline/core";
import type { Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { addExamples } from "../../command/command-set.ts";
import { answerTable, nodeCells, type AnswerNode, type TableOptions, sectionsText } from "./answer-text.ts";
import { askQuestion } from "./ask-question.ts";
import { addQuestionOptions, type QuestionOptions } from "./question-options.ts";
import { ruleCells, ruleColumns } from "./who-can.ts";

interface WhatCanOptions extends QuestionOptions {
  readonly namespace?: string;
}

export function addWhatCan(command: Command, context: CommandContext): void {
  const whatCan = command
    .command("what-can")
    .summary("Show what somebody may do, and whom they can become")
    .description(
      "Show what a user, a group or a ServiceAccount may do in the clusters: every rule they have, by themselves and by the groups that everybody is in, with the role and the binding. Below it, whom they can become by these rules, step by step: by pods they make, tokens they ask for, roles they bind themselves to.",
    )
    .argument("<SUBJECT>", "user:NAME, group:NAME, serviceaccount:NAMESPACE/NAME or sa/NAMESPACE/NAME")
    .option("-n, --namespace <NAMESPACE>", "Only what holds in this namespace");
  addQuestionOptions(whatCan).action((subject: string, options: WhatCanOptions) =>
    showRules(context, subject, options),
  );
  addExamples(whatCan, [
    { does: "What the pods of a workload may do", run: "bowline graph what-can sa/shop/web" },
    { does: "What everybody who signs in may do", run: "bowline graph what-can group:system:authenticated" },
    { does: "In one namespace", run: "bowline graph what-can user:somebody -n shop --cluster prod" },
  ]);
}

async function showRules(context: CommandContext, text: string, options: WhatCanOptions): Promise<void> {
  const subject = parseSubject(text);
  await askQuestion(
    context,
    {
      name: "what-can",
      query: { subject, namespace: options.namespace },
      table: rulesText,
      nodes: ({ clusters }) => clusters.flatMap(({ rules }) => rules.map(({ role }): AnswerNode => role)),
      whenNone: () => `${subject} may do nothing.`,
    },
    options,
  );
}

/** As the server names whom rights belong to. Throws `InvalidArgument`. */
function parseSubject(text: string): string {
  const account = /^system:serviceaccount:([^:/]+):([^:/]+)$/u.exec(text.replace(/^user[:/]/u, ""));
  if (account !== null) return `serviceaccount:${account[1]}/${account[2]}`;
  const [, kind = "", name = ""] = /^([a-z]+)[:/]\/?(.+)$/iu.exec(text) ?? [];
  const type = subjectTypes.get(kind.toLowerCase());
  const isWhole = type === "serviceaccount" ? /^[^/]+\/[^/]+$/u.test(name) : name !== "";
  if (type !== undefined && isWhole) return `${type}:${name}`;
  throw new BowlineError(
    "InvalidArgument",
    `«${text.slice(0, 64)}» is nobody: write user:NAME, group:NAME or serviceaccount:NAMESPACE/NAME.`,
  );
}

const subjectTypes: ReadonlyMap<string, string> = new Map([
  ["user", "user"],
  ["group", "group"],
  ["serviceaccount", "serviceaccount"],
  ["sa", "serviceaccount"],
]);

type Rights = GraphData<"what-can">["clusters"][number];

function rulesText({ clusters }: GraphData<"what-can">, options: TableOptions): string {
  const rows = clusters.flatMap(({ cluster, isMaster, rules }) => [
    ...(isMaster ? [[cluster, "<everywhere>", "everything", "<built in>", "system:masters"]] : []),
    ...rules.map((rule) => [cluster, ...ruleCells(rule, options.wide)]),
  ]);
  const steps = clusters.flatMap(({ cluster, becomes }) =>
    becomes.map(({ sentence }) => [cluster, sentence]),
  );
  const missing = clusters.flatMap((rights) => rights.missing.map((binding) => nodeCells(binding)));
  return sectionsText([
    { title: "May do:", text: answerTable(["CLUSTER", ...ruleColumns], rows, options) },
    { title: "Can become:", text: answerTable(["CLUSTER", "STEP"], steps, options) },
    { title: "May do everything, or can get there, in:", text: mastersText(clusters) },
    {
      title: "Bound to roles that do not exist:",
      text: answerTable(["CLUSTER", "BINDING"], missing, options),
    },
  ]);
}

function mastersText(clusters: readonly Rights[]): string {
  const names = clusters.filter(({ becomesMaster }) => becomesMaster).map(({ cluster }) => cluster);
  return names.length === 0 ? "" : `${names.join(", ")}\n`;
}
