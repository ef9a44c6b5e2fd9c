import {
  followChange,
  pageLimits,
  revisionBefore,
  rollbackChange,
  signatureProblem,
  WorkloadDefinition,
  WorkloadInstance,
  type WorkloadRevision,
} from "@bowline/api";
import type { Client, ReadObject } from "@bowline/client";
import { BowlineError } from "@bowline/core";
import type { Command } from "commander";

import type { CommandContext } from "../command/command-context.ts";
import { addExamples } from "../command/command-set.ts";
import { instanceName, instanceUsage } from "../workloads/instance-name.ts";
import { patchInstance } from "../workloads/patch-instance.ts";
import { requireRevision } from "./history.ts";

export function addRollbackCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("rollback")
    .usage(`${instanceUsage} [FLAGS]`)
    .description(
      "Go back to an earlier revision of a workload instance, and stay there: the revision that is left is not taken again. The next one that the definition has is. Where the definition asks for signatures, only a revision whose commit was signed is gone back to.",
    )
    .argument("<INSTANCE>", "The workload instance")
    .option("--to <ID>", "The revision, or the beginning of its id; without it, the one before")
    .option("--resume", "Follow the definition again, with whatever it says now", false)
    .option("--dry-run", "Say where it would go, and change nothing", false)
    .action((argument: string, options: RollbackOptions) =>
      rollback(context, instanceName(argument), options),
    );
  addExamples(command, [
    { does: "Go back to the revision before", run: "bowline rollback wi/web" },
    { does: "Go back to one of bowline history", run: "bowline rollback wi/web --to 3f1c9a" },
    { does: "Follow the definition again", run: "bowline rollback wi/web --resume" },
  ]);
}

interface RollbackOptions {
  readonly to?: string;
  readonly resume: boolean;
  readonly dryRun: boolean;
}

type Instance = ReadObject<typeof WorkloadInstance>;

export async function rollback(
  context: CommandContext,
  name: string,
  { to, resume, dryRun }: RollbackOptions,
): Promise<void> {
  const { terminal, signal } = context;
  const client = await context.client();
  const instance = await client.get(WorkloadInstance, name, { signal });
  const ending = dryRun ? " (dry run)" : "";
  if (resume) {
    if (instance.spec.revision === undefined) {
      terminal.error(`It follows its definition already; see how it does: bowline describe wi/${name}\n`);
      return;
    }
    if (!dryRun) await patchInstance(client, instance, followChange, signal);
    terminal.out(`workloadinstance/${name} follows ${instance.spec.definition}${ending}\n`);
    return;
  }
  const revisions = await readRevisions(client, instance, signal);
  const target = to === undefined ? requireBefore(instance, revisions) : requireRevision(revisions, to);
  if (target.id === instance.status.revision) {
    const message = `Revision ${shortId(target.id)} is what workloadinstance/${name} has already.`;
    throw new BowlineError("Conflict", message, { retryable: false });
  }
  const definition = await client.get(WorkloadDefinition, instance.spec.definition, { signal });
  const unsigned = signatureProblem(definition, target, name);
  if (unsigned !== undefined) throw new BowlineError("NotVerified", unsigned);
  const change = rollbackChange(instance, target.id, revisions);
  if (!dryRun) await patchInstance(client, instance, change, signal);
  terminal.out(`workloadinstance/${name} goes back to ${shortId(target.id)}${ending}\n`);
  const next =
    change.revision.rejected.length === 0
      ? "It stays there"
      : "It stays there until the definition has another revision";
  terminal.error(`${next}; sooner: bowline rollback wi/${name} --resume\n`);
}

async function readRevisions(
  client: Client,
  { metadata, spec }: Instance,
  signal: AbortSignal,
): Promise<readonly WorkloadRevision[]> {
  const query = { limit: pageLimits.maximum, instance: metadata.name };
  return (await client.listRevisions(spec.definition, query, { signal })).items;
}

function requireBefore(instance: Instance, revisions: readonly WorkloadRevision[]): WorkloadRevision {
  const before = revisionBefore(instance, revisions);
  if (before !== undefined) return before;
  const { name } = instance.metadata;
  throw new BowlineError(
    "NotFound",
    `There is no revision before the one that workloadinstance/${name} has; bowline history wi/${name} lists those that are kept.`,
  );
}

function shortId(id: string): string {
  return id.replace(/^sha256:/u, "").slice(0, 12);
}
