import { WorkloadInstance } from "@bowline/api";
import type { Client } from "@bowline/client";
import { BowlineError } from "@bowline/core";
import type { Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { addExamples } from "../../command/command-set.ts";
import { CommandExit } from "../../command/failure.ts";
import { outputOption } from "../../command/shared-options.ts";
import { readClusters } from "../../doctor/gather-facts.ts";
import { isProblem } from "../../doctor/finding.ts";
import { checkUpgrade, type UpgradeFacts } from "../../doctor/upgrade-checks.ts";
import { toDocument } from "../../output/to-document.ts";
import { findingsText } from "../doctor/doctor.ts";

export function addUpgradeCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("upgrade")
    .description(
      "Say what stands against an upgrade of the server that you are signed in to, as admin: changes of the database, replicas and agents of other versions, rollouts under way, and how old the last backup is. Nothing is changed.\n\nThe exit code is 0 when nothing does and 1 when something does.",
    )
    .option("--check", "Only look", false)
    .option("--to <VERSION>", "The version to be; that of this program when not given")
    .addOption(outputOption(["json", "yaml"]))
    .action((options: UpgradeOptions) => upgrade(context, options));
  addExamples(command, [
    { does: "Before the server gets the version of this program", run: "bowline upgrade --check" },
    { does: "Before another version", run: "bowline upgrade --check --to 0.3.0" },
  ]);
}

interface UpgradeOptions {
  readonly check: boolean;
  readonly to?: string;
  readonly output?: "json" | "yaml";
}

async function upgrade(context: CommandContext, { check, to, output }: UpgradeOptions): Promise<void> {
  if (!check) {
    throw new BowlineError(
      "InvalidArgument",
      "This version only looks, with --check; docs/guides/run-the-server.md tells how to upgrade.",
    );
  }
  const { terminal, version, paint } = context;
  const facts = await gatherUpgradeFacts(await context.client(), to ?? version, {
    own: version,
    signal: context.signal,
  });
  const findings = checkUpgrade(facts);
  const problems = findings.filter(isProblem).length;
  if (output !== undefined) {
    terminal.out(
      await toDocument({ from: facts.server.version, to: facts.target, problems, findings }, output),
    );
  } else {
    terminal.out(
      `From ${facts.server.version} to ${facts.target}:\n\n${findingsText(findings, { columns: terminal.columns, paint, nothing: "Nothing stands against it." })}`,
    );
  }
  if (problems > 0) throw new CommandExit(1);
}

/** For `--check`, and for an upgrade that looks before it begins. */
export async function gatherUpgradeFacts(
  client: Client,
  target: string,
  { own, signal }: { readonly own: string; readonly signal: AbortSignal },
): Promise<UpgradeFacts> {
  requireVersion(target);
  const [server, clusters, unfinishedRollouts] = await Promise.all([
    client.diagnose({ signal }),
    readClusters(client),
    readUnfinished(client),
  ]);
  const targetMigrations = target === own ? (await import("@bowline/server")).migrationNames() : undefined;
  return { target, targetMigrations, server, clusters, unfinishedRollouts };
}

async function readUnfinished(client: Client): Promise<string[]> {
  const names: string[] = [];
  for await (const { items } of client.listAll(WorkloadInstance)) {
    for (const { metadata, status } of items) {
      const { rollout } = status;
      if (rollout !== undefined && rollout.phase !== "Complete" && rollout.phase !== "RolledBack")
        names.push(metadata.name);
    }
  }
  return names;
}

function requireVersion(text: string): void {
  if (/^v?\d{1,6}\.\d{1,6}(?:\.\d{1,6})?(?:[-+][\w.-]{1,64})?$/u.test(text)) return;
  throw new BowlineError("InvalidArgument", `"${text.slice(0, 64)}" is no version such as 0.3.0.`);
}
