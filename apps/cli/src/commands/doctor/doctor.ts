import { wrapText } from "@bowline/core";
import type { Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { addExamples, type AddCommand } from "../../command/command-set.ts";
import { CommandExit } from "../../command/failure.ts";
import { addSettingOptions, givenFlags } from "../../command/setting-options.ts";
import { outputOption } from "../../command/shared-options.ts";
import { examine } from "../../doctor/examine.ts";
import { isProblem, type Finding } from "../../doctor/finding.ts";
import { gatherFacts } from "../../doctor/gather-facts.ts";
import { counted } from "../../doctor/spoken.ts";
import { printableLine } from "../../output/terminal-text.ts";
import { toDocument } from "../../output/to-document.ts";

/** The settings that say where a server on this machine would be. */
const localSettings: ReadonlySet<string> = new Set(["data", "listen", "encryption.keysFile"]);

/** `bowline doctor`. */
export async function loadDoctorCommand(): Promise<AddCommand> {
  const { serverSettings } = await import("@bowline/server/settings");
  return (program, context) => {
    const command = program
      .command("doctor")
      .description(
        "Say what is wrong with this installation, the worst first, and what to do about each thing: the way to the server, its certificate, clock, disk, database, keys and replicas, and the agents of clusters. The inside of the server is told to admins only.\n\nA server that does not answer is looked at from outside: on its machine, with --data. The exit code is 0 when nothing is wrong and 1 when something is.",
      )
      .addOption(outputOption(["json", "yaml"]))
      .action((options: DoctorOptions) => doctor(context, command, options));
    addSettingOptions(command, {
      ...serverSettings,
      named: serverSettings.named.filter(({ name }) => localSettings.has(name)),
    });
    addExamples(command, [
      { does: "What is wrong with the server that you are signed in to", run: "bowline doctor" },
      { does: "Why a server on this machine does not start", run: "bowline doctor --data /var/lib/bowline" },
      {
        does: "For a monitoring system",
        run: "bowline doctor -o json | jq '.findings[] | select(.severity == \"error\")'",
      },
    ]);
  };
}

interface DoctorOptions {
  readonly output?: "json" | "yaml";
}

async function doctor(context: CommandContext, command: Command, { output }: DoctorOptions): Promise<void> {
  const { terminal, paint } = context;
  const findings = examine(await gatherFacts(context, { serverFlags: givenFlags(command) }));
  const problems = findings.filter(isProblem).length;
  if (output !== undefined) terminal.out(await toDocument({ problems, findings }, output));
  else terminal.out(findingsText(findings, { columns: terminal.columns, paint }));
  if (problems > 0) throw new CommandExit(1);
}

interface TextOptions {
  readonly columns: number | undefined;
  readonly paint: CommandContext["paint"];
  /** Said when there is no problem. */
  readonly nothing?: string;
}

const styles = { error: "red", warning: "yellow", note: "dim" } as const;

/** A paragraph for each finding: what it is, and what to do. */
export function findingsText(
  findings: readonly Finding[],
  { columns = 100, paint, nothing = "Nothing is wrong." }: TextOptions,
): string {
  const lines = (text: string): string[] => wrapText(printableLine(text), { columns, indent: 2 });
  const paragraphs = findings.map(({ severity, message, advice }) => {
    const [first = "", ...more] = lines(`${severity}: ${message}`);
    const shown = first.trimStart().replace(severity, paint(styles[severity], severity));
    return [shown, ...more, ...lines(advice)].join("\n");
  });
  const problems = findings.filter(isProblem).length;
  const last = problems === 0 ? nothing : `${counted(problems, "problem")} found.`;
  return `${[...paragraphs, last].join("\n\n")}\n`;
}
