import {
  approveChange,
  isApproved,
  pinOf,
  WorkloadDefinition,
  WorkloadInstance,
  WorkloadPlacement,
} from "@bowline/api";
import type { Client, ReadObject } from "@bowline/client";
import { BowlineError } from "@bowline/core";
import type { Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { addExamples } from "../../command/command-set.ts";
import { printableLine } from "../../output/terminal-text.ts";
import { listObjects } from "../../resources/find-objects.ts";
import { instanceName, instanceUsage } from "../../workloads/instance-name.ts";
import { patchInstance } from "../../workloads/patch-instance.ts";
import { approveSource, configSourceName } from "./approve-source.ts";
import { heldIn, type Hold } from "./holds.ts";

export function addApproveCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("approve")
    .usage(`(${instanceUsage} | cs/NAME) [FLAGS]`)
    .description(
      "Agree to what a workload instance holds back: a revision that somebody else wrote, a wave of its rollout, more deletions than its limit allows, or the removal from all of its clusters at once. Shows what is held, then agrees to the current revision of its definition, and to nothing that comes later.\n\nWhoever agrees is the one in whose name the instance acts in the clusters from then on, unless it names somebody.\n\nOf a source of configuration (cs/NAME) it agrees to the deletions that are held, of that commit only.",
    )
    .argument("<INSTANCE>", "The workload instance, or cs/NAME for a source of configuration")
    .option(
      "--revision <ID>",
      "Agree to this revision or commit, if it is the current one: the first 8 characters will do",
    )
    .option("--dry-run", "Show what is held, and agree to nothing", false)
    .action((argument: string, options: ApproveOptions) => {
      const source = configSourceName(argument);
      if (source !== undefined) return approveSource(context, source, options);
      return approve(context, instanceName(argument), options);
    });
  addExamples(command, [
    { does: "See what is held, and why", run: "bowline approve wi/web --dry-run" },
    { does: "Agree to it", run: "bowline approve wi/web" },
    {
      does: "Agree to the revision that was looked at, and to no other",
      run: "bowline approve wi/web --revision 4f1d2a9c",
    },
    { does: "Agree to the deletions of a source of configuration", run: "bowline approve cs/fleet" },
  ]);
}

interface ApproveOptions {
  readonly revision?: string;
  readonly dryRun: boolean;
}

interface Held {
  readonly instance: ReadObject<typeof WorkloadInstance>;
  /** The one that it stays at, or else the current one of the definition. */
  readonly revision: string;
  readonly holds: readonly Hold[];
}

export async function approve(context: CommandContext, name: string, options: ApproveOptions): Promise<void> {
  const { terminal, signal } = context;
  const client = await context.client();
  const held = await findHeld(client, name, signal);
  requireRevision(held.revision, options.revision);
  for (const hold of held.holds) terminal.out(holdText(hold));
  const isAgreed = isApproved(held.instance, held.revision);
  if (isAgreed || (held.holds.length === 0 && options.revision === undefined)) {
    const what = isAgreed
      ? `Revision ${shortId(held.revision)} is approved already`
      : "Nothing waits for approval";
    terminal.error(`${what}; see how it does: bowline describe wi/${name}\n`);
    return;
  }
  if (options.dryRun) {
    terminal.out(`workloadinstance/${name} approved (dry run)\n`);
    return;
  }
  const agreed = approveChange(held.instance, held.revision);
  const instance = await patchInstance(client, held.instance, agreed, signal);
  terminal.out(`workloadinstance/${name} approved\n`);
  terminal.error(nextSteps(held, instance));
}

async function findHeld(client: Client, name: string, signal: AbortSignal): Promise<Held> {
  const instance = await client.get(WorkloadInstance, name, { signal });
  const definition = await client.get(WorkloadDefinition, instance.spec.definition, { signal });
  const pin = pinOf(instance, definition);
  const isResolved = definition.status.observedGeneration === definition.metadata.generation;
  const revision = pin ?? (isResolved ? definition.status.revision?.id : undefined);
  if (revision === undefined) {
    throw new BowlineError(
      "Conflict",
      `WorkloadDefinition "${instance.spec.definition}" has no revision for its last change yet; see why: bowline describe wd/${instance.spec.definition}`,
    );
  }
  const query = { fieldSelector: `spec.instance=${name}` };
  const placements = await listObjects(client, WorkloadPlacement, { query, signal });
  const holds = heldIn(
    instance,
    placements.objects.map(({ object }) => object),
  );
  return { instance, revision, holds };
}

const shortestPrefix = 8;

function requireRevision(current: string, wanted: string | undefined): void {
  if (wanted === undefined) return;
  const prefix = wanted.replace(/^sha256:/u, "");
  if (!/^[0-9a-f]{8,64}$/u.test(prefix)) {
    throw new BowlineError(
      "InvalidArgument",
      `«${wanted.slice(0, 80)}» is no revision: it is a hash, of which at least ${shortestPrefix} characters are needed.`,
    );
  }
  if (current.replace(/^sha256:/u, "").startsWith(prefix)) return;
  throw new BowlineError(
    "Conflict",
    `The current revision is ${shortId(current)}, not ${prefix.slice(0, 12)}; look at it, then agree to that one.`,
  );
}

function nextSteps({ holds, revision }: Held, { metadata, spec, status }: WorkloadInstance): string {
  const { name } = metadata;
  const actingUser = spec.actingUser ?? status.author?.user;
  const reasons = new Set(holds.map(({ reason }) => reason));
  const next = [
    ...(reasons.has("PruneHeld") ? ["The resources above are deleted now."] : []),
    ...(reasons.has("PlacementHeld") ? ["It is removed from the clusters now."] : []),
    `Revision ${shortId(revision)} is applied${actingUser === undefined ? "" : ` in the name of ${actingUser}`}, by the grants of that user.`,
    `See it happen: bowline wait --for healthy wi/${name}`,
  ];
  return `${next.map(printableLine).join("\n")}\n`;
}

function holdText({ reason, cluster, message, resources, resourceCount }: Hold): string {
  const where = cluster === undefined ? "" : ` in ${cluster}`;
  const rest = resourceCount - resources.length;
  const lines = [
    `${reason}${where}: ${printableLine(message)}`,
    ...resources.map((resource) => `  ${printableLine(resource)}`),
    ...(rest > 0 ? [`  … and ${rest} more`] : []),
  ];
  return `${lines.join("\n")}\n`;
}

/** As much of an id as people need to tell revisions apart. */
function shortId(revision: string): string {
  return revision.replace(/^sha256:/u, "").slice(0, 12);
}
