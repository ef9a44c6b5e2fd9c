import { WorkloadInstance } from "@bowline/api";
import type { Client } from "@bowline/client";
import { BowlineError } from "@bowline/core";

import type { CommandContext } from "../../command/command-context.ts";
import { CommandExit } from "../../command/failure.ts";
import { readClusters } from "../../doctor/gather-facts.ts";
import { isProblem, type Finding } from "../../doctor/finding.ts";
import { checkUpgrade, type UpgradeFacts } from "../../doctor/upgrade-checks.ts";
import { toDocument } from "../../output/to-document.ts";
import { findingsText } from "../doctor/doctor.ts";

export interface CheckOptions {
  readonly to?: string | undefined;
  readonly output?: "json" | "yaml" | undefined;
}

/** Says what stands against an upgrade of the server that somebody is signed in to, and changes nothing. */
export async function showChecks(context: CommandContext, { to, output }: CheckOptions): Promise<void> {
  const { terminal, version, signal } = context;
  const facts = await gatherUpgradeFacts(await context.client(), to ?? version, { own: version, signal });
  const findings = checkUpgrade(facts);
  const problems = findings.filter(isProblem).length;
  const [from, target] = [facts.server.version, facts.target];
  terminal.out(
    output === undefined
      ? `From ${from} to ${target}:\n\n${upgradeText(context, findings)}`
      : await toDocument({ from, to: target, problems, findings }, output),
  );
  if (problems > 0) throw new CommandExit(1);
}

export function upgradeText({ terminal, paint }: CommandContext, findings: readonly Finding[]): string {
  const { columns } = terminal;
  return findingsText(findings, { columns, paint, nothing: "Nothing stands against it." });
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
