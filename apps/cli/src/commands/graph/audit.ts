import type { GraphData } from "@bowline/api";
import { Option, type Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { addExamples } from "../../command/command-set.ts";
import { CommandExit } from "../../command/failure.ts";
import { answerTable, nodeCells, type TableOptions } from "./answer-text.ts";
import { askQuestion } from "./ask-question.ts";
import { addQuestionOptions, type QuestionOptions } from "./question-options.ts";
import { failOnOption, isAtLeast, paintSeverity, severities, type Severity } from "./severity.ts";

type Finding = GraphData<"audit">["findings"][number];

interface AuditOptions extends QuestionOptions {
  readonly severity?: Severity;
  readonly namespace?: string;
  readonly failOn?: Severity;
  readonly system: boolean;
}

export function addAudit(command: Command, context: CommandContext): void {
  const audit = command
    .command("audit")
    .summary("Show what an attacker would like")
    .description(
      "Show what an attacker would like: Secrets in environments, tokens that are mounted and not needed, privileged containers and those with access to their host, roles with wildcards, and rights by which somebody gets more rights. Each finding has an id that stays the same for as long as the workload or the role has it.\n\nIt exits with 0, whatever it finds, unless --fail-on is given.",
    )
    .addOption(
      new Option("--severity <SEVERITY>", "Only findings that are at least so bad").choices(severities),
    )
    .option("-n, --namespace <NAMESPACE>", "Only in this namespace")
    .addOption(failOnOption())
    .option("--system", "Show what belongs to Kubernetes itself as well", false);
  addQuestionOptions(audit).action((options: AuditOptions) => showFindings(context, options));
  addExamples(audit, [
    { does: "What is worst, in all clusters", run: "bowline graph audit --severity high" },
    { does: "Where it shows, and every id", run: "bowline graph audit -n shop -o wide" },
    {
      does: "Refuse to go on in a pipeline",
      run: "bowline graph audit --cluster staging --fail-on critical",
    },
  ]);
}

async function showFindings(context: CommandContext, options: AuditOptions): Promise<void> {
  const { severity, namespace, failOn, system } = options;
  const wanted = ({ findings }: GraphData<"audit">): readonly Finding[] =>
    findings.filter(({ isSystem }) => system || isSystem !== true);
  const { data } = await askQuestion(
    context,
    {
      name: "audit",
      query: { severity, namespace },
      table: (answer, table) => findingTable(context, wanted(answer), table),
      nodes: (answer) => wanted(answer).map(({ subject }) => subject),
      whenNone: () =>
        severity === undefined ? "Nothing was found." : `Nothing was found that is ${severity} or worse.`,
      notes: (answer) => {
        const left = answer.findings.length - wanted(answer).length;
        return left === 0 ? [] : [`Left out: ${left} that belong to Kubernetes itself; --system shows them.`];
      },
    },
    options,
  );
  if (wanted(data).some((finding) => isAtLeast(finding.severity, failOn))) throw new CommandExit(1);
}

function findingTable(
  { paint }: CommandContext,
  findings: readonly Finding[],
  { wide, headers }: TableOptions,
): string {
  const rows = findings.map(({ id, severity, subject, message, evidence, count }) => {
    const places = evidence.map(placeText);
    const more = count > 1 ? ` and ${count - 1} more` : "";
    const shown = wide ? places.join(", ") : `${places[0] ?? ""}${more}`;
    return [severity, clusterOf(subject, evidence), nodeCells(subject)[1], message, shown, id];
  });
  return answerTable(["SEVERITY", "CLUSTER", "PLACE", "FINDING", "EVIDENCE", "ID"], rows, {
    headers,
    style: paintSeverity(paint),
  });
}

/** Users and groups are in no cluster; the places that show it are. */
function clusterOf(subject: Finding["subject"], evidence: Finding["evidence"]): string {
  const nodes = [subject, ...evidence.map(({ node }) => node)];
  return (
    nodes.map((node) => ("withheld" in node ? undefined : node.cluster)).find(Boolean) ??
    nodeCells(subject)[0]
  );
}

function placeText({ node, at }: Finding["evidence"][number]): string {
  return `${nodeCells(node)[1]}${at === "" ? "" : ` ${at}`}`;
}
