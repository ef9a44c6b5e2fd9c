import type { GraphData } from "@bowline/api";
import type { Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { addExamples } from "../../command/command-set.ts";
import { answerTable, nodeCells, type TableOptions, sectionsText } from "./answer-text.ts";
import { askQuestion } from "./ask-question.ts";
import { nodeName } from "./node-argument.ts";
import { findNodeKind } from "./node-kinds.ts";
import { addQuestionOptions, type QuestionOptions } from "./question-options.ts";

interface WhoCanOptions extends QuestionOptions {
  readonly namespace?: string;
  readonly name?: string;
}

export function addWhoCan(command: Command, context: CommandContext): void {
  const whoCan = command
    .command("who-can")
    .summary("Show who may do something, and the rule that says so")
    .description(
      "Show who may do something to a resource, as the API server decides by its roles: users, groups and ServiceAccounts with the binding and the rule that say so, the pods that run as them, and who of Bowline's people becomes one of them by an AccessGrant.\n\nWithout a namespace, rights in any namespace count.",
    )
    .argument("<VERB>", "What they would do: get, list, create, delete, escalate, impersonate, …")
    .argument(
      "<RESOURCE>",
      "To what: secrets, deploy, deployments.apps, pods/exec, or a path such as /metrics",
    )
    .option("-n, --namespace <NAMESPACE>", "In this namespace")
    .option("--name <NAME>", "To the object of this name");
  addQuestionOptions(whoCan).action((verb: string, resource: string, options: WhoCanOptions) =>
    showHolders(context, { verb, resource }, options),
  );
  addExamples(whoCan, [
    { does: "Who reads the Secrets of a namespace", run: "bowline graph who-can get secrets -n shop" },
    { does: "Who reads this one", run: "bowline graph who-can get secret -n shop --name db" },
    { does: "Who runs programs in pods", run: "bowline graph who-can create pods/exec --cluster prod" },
    { does: "Who could do so last week", run: "bowline graph who-can delete ns --at 6d" },
  ]);
}

async function showHolders(
  context: CommandContext,
  { verb, resource }: { readonly verb: string; readonly resource: string },
  options: WhoCanOptions,
): Promise<void> {
  const { namespace, name } = options;
  await askQuestion(
    context,
    {
      name: "who-can",
      query: { verb, resource: resourceName(resource), namespace, name },
      table: holdersText,
      nodes: ({ holders }) => holders.map(({ subject }) => subject),
      notes: ({ warnings }) => warnings.map((warning) => `Warning: ${warning}`),
      whenNone: () => `Nobody may ${verb} ${resource}${namespace === undefined ? "" : ` in ${namespace}`}.`,
    },
    options,
  );
}

/** Short names are those of kubectl; the server knows the groups of what every cluster has. */
function resourceName(text: string): string {
  const [resource = "", ...subresource] = text.split("/");
  const plural = resource === "" ? undefined : findNodeKind(resource)?.names[1];
  return [plural ?? resource, ...subresource].join("/");
}

type WhoCan = GraphData<"who-can">;

function holdersText(data: WhoCan, options: TableOptions): string {
  return sectionsText([
    { title: "By the rules of roles:", text: holderTable(data.holders, options) },
    {
      title: "ServiceAccounts among them, and the pods that run as them:",
      text: accountTable(data.accounts, options),
    },
    { title: "People who become one of them by an AccessGrant:", text: peopleTable(data.people, options) },
  ]);
}

function holderTable(holders: WhoCan["holders"], { wide, headers }: TableOptions): string {
  const rows = holders.flatMap(({ cluster, subject, isMaster, grants }) => {
    const who = nodeCells(subject)[1];
    if (isMaster === true) return [[cluster, who, everywhere, "every rule", "<built in>", "<built in>"]];
    return grants.map((grant) => [cluster, who, ...ruleCells(grant, wide)]);
  });
  return answerTable(["CLUSTER", "SUBJECT", ...ruleColumns], rows, { headers });
}

export const ruleColumns = ["WHERE", "RULE", "ROLE", "BINDING"] as const;
const everywhere = "<everywhere>";

type Rule = WhoCan["holders"][number]["grants"][number];

/** Where a rule holds, what it says, in which role it is, and by which binding somebody has it. */
export function ruleCells(
  { namespace, text, role, at, binding, origins = [] }: Rule,
  wide: boolean,
): string[] {
  const written = origins.map((origin) => `${nodeCells(origin.role)[1]} ${origin.at}`).join(", ");
  const from = wide && written !== "" ? ` (written in ${written})` : "";
  return [
    namespace === "" ? everywhere : namespace,
    text ?? "<withheld>",
    `${nodeCells(role)[1]} ${at}${from}`,
    nodeCells(binding)[1],
  ];
}

const mostPods = 2;

function accountTable(accounts: WhoCan["accounts"], { wide, headers }: TableOptions): string {
  const rows = accounts.map(({ account, through, pods, podCount }) => {
    const shown = wide ? pods : pods.slice(0, mostPods);
    const names = shown.map((pod) => nodeCells(pod)[1]).join(",");
    const more = podCount > shown.length ? ` and ${podCount - shown.length} more` : "";
    return [...nodeCells(account), throughText(through), podCount === 0 ? "<none>" : `${names}${more}`];
  });
  return answerTable(["CLUSTER", "SERVICEACCOUNT", "THROUGH", "PODS"], rows, { headers });
}

function peopleTable(people: WhoCan["people"], { headers }: TableOptions): string {
  const rows = people.map(({ cluster, user, group, grant, changedSince, namespaces, through }) => [
    cluster,
    user === undefined ? `group ${group ?? "<unknown>"}` : `user ${user}`,
    changedSince === true ? `${grant} (changed since)` : grant,
    throughText(through),
    namespaces === undefined ? everywhere : namespaces.join(","),
  ]);
  return answerTable(["CLUSTER", "WHO", "ACCESSGRANT", "AS", "WHERE"], rows, { headers });
}

function throughText(through: WhoCan["people"][number]["through"]): string {
  return through.map(nodeName).join(",");
}
