import { findKind } from "@bowline/api";
import type { DeletionStep } from "@bowline/client";
import { BowlineError } from "@bowline/core";
import type { Command } from "commander";

import type { CommandContext } from "../command/command-context.ts";
import { addExamples } from "../command/command-set.ts";
import { CommandExit, failureNotes } from "../command/failure.ts";
import { timeoutOption } from "../command/shared-options.ts";
import { inDeleteOrder } from "../manifests/manifest.ts";
import { addManifestOptions, manifestsFrom, type ManifestOptions } from "../manifests/manifest-options.ts";
import { printableLine } from "../output/terminal-text.ts";
import { isNotFound } from "../resources/find-objects.ts";
import { parseResources, resourceUsage, resourceName, type Resource } from "../resources/resource.ts";
import {
  addSelectOptions,
  hasSelector,
  refuseSelectorWithNames,
  selectedResources,
  type SelectOptions,
} from "../resources/select-options.ts";
import { waitForObject } from "../resources/wait-for-object.ts";

export function addDeleteCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("delete")
    .usage(`(${resourceUsage} | -f FILE...) [FLAGS]`)
    .description(
      "Delete objects by name, by label, or those in files. What refers to others goes before them. An object that others still refer to is not deleted without --cascade.",
    )
    .argument("[resources...]", "KIND NAME, KIND/NAME, or KIND with -l or --all");
  addManifestOptions(addSelectOptions(command), { mandatory: false })
    .option("--all", "Delete every object of the kind", false)
    .option("--cascade", "Delete what refers to it as well, or take its name out there", false)
    .option("--override", "Delete what comes from git all the same, until its next commit", false)
    .option("--dry-run", "Have the server check everything and delete nothing", false)
    .option("--ignore-not-found", "Do not mind objects that do not exist", false)
    .option("--wait", "Wait until what has to be cleaned up first is done", true)
    .option("--no-wait", "Only ask for the deletion")
    .addOption(timeoutOption("How long to wait for each of them; without it, as long as it takes"))
    .option("-y, --yes", "Do not ask before deleting by label or all", false)
    .action((args: string[], options: DeleteOptions) => deleteAll(context, args, options));
  addExamples(command, [
    { does: "Delete a cluster", run: "bowline delete cluster prod-eu-1" },
    {
      does: "Delete it from every placement and grant as well",
      run: "bowline delete cluster/prod-eu-1 --cascade",
    },
    { does: "Delete everything that a folder made", run: "bowline delete -R -f deploy/" },
    { does: "Delete by label, from a script", run: "bowline delete workloadinstances -l env=preview --yes" },
  ]);
}

export interface DeleteOptions extends SelectOptions, ManifestOptions {
  readonly all: boolean;
  readonly cascade: boolean;
  readonly override: boolean;
  readonly dryRun: boolean;
  readonly ignoreNotFound: boolean;
  readonly wait: boolean;
  readonly timeout?: number;
  readonly yes: boolean;
}

/**
 * Deletes kind by kind, what refers to others first, and waits for each kind to be gone before it goes on: otherwise
 * the next one would be refused because of objects that are about to go.
 */
export async function deleteAll(
  context: CommandContext,
  args: readonly string[],
  options: DeleteOptions,
): Promise<void> {
  const targets = inDeleteOrder(await deletionTargets(context, args, options));
  const refused: BowlineError[] = [];
  for (const group of Map.groupBy(targets, ({ kind }) => kind).values()) {
    const leaving: Leaving[] = [];
    for (const target of group) {
      try {
        leaving.push(...(await deleteOne(context, target, options)));
      } catch (thrown) {
        const error = explained(thrown, options);
        if (targets.length === 1 || !isAboutOne(error)) throw error;
        refused.push(error);
        context.terminal.error(
          `${[`error: ${printableLine(error.message)}`, ...failureNotes(error)].join("\n")}\n`,
        );
      }
    }
    for (const target of leaving) await waitUntilGone(context, target, options);
  }
  if (refused.length === 0) return;
  context.terminal.error(`${refused.length} of ${targets.length} objects were not deleted.\n`);
  throw new CommandExit(1);
}

/** An object that is marked as deleted and still there. */
interface Leaving extends Resource {
  readonly id: string;
}

/** Returns the object if it is not gone yet and somebody wants to know when it is. */
async function deleteOne(
  context: CommandContext,
  target: Resource,
  options: DeleteOptions,
): Promise<Leaving[]> {
  const { terminal, signal } = context;
  const { cascade, dryRun, override } = options;
  const client = await context.client();
  const name = resourceName(target);
  try {
    const deleted = await client.delete(target.kind, target.name, { cascade, dryRun, override, signal });
    if (deleted.outcome === "planned") terminal.out(deleted.steps.map(planLine).join(""));
    else if (dryRun) terminal.out(`${name} deleted (dry run)\n`);
    else if (deleted.outcome === "deleted") terminal.out(`${name} deleted\n`);
    else if (options.wait) return [{ ...target, id: deleted.object.metadata.id }];
    else terminal.out(`${name} marked as deleted\n`);
  } catch (thrown) {
    if (!isNotFound(thrown) || !options.ignoreNotFound) throw thrown;
  }
  return [];
}

/**
 * A line for each object that `--cascade` would change or delete, the one that is deleted among them; none for a part of
 * another object, which goes with that.
 */
function planLine({ action, kind, name }: DeletionStep): string {
  const found = findKind(kind);
  if (found?.references.some(({ cascade }) => cascade === "owned") === true) return "";
  const known = found?.singular ?? kind.toLowerCase();
  return `${printableLine(`${known}/${name}`)} ${action === "delete" ? "deleted" : "configured"} (dry run)\n`;
}

async function waitUntilGone(
  { client, clock, signal, terminal }: CommandContext,
  target: Leaving,
  { timeout = Number.POSITIVE_INFINITY }: DeleteOptions,
): Promise<void> {
  const name = resourceName(target);
  await waitForObject(
    target,
    { for: "deletion", id: target.id },
    {
      client: await client(),
      clock,
      signal,
      timeoutMs: timeout,
      onState: (state) => terminal.error(`Waiting for ${name}: ${state}\n`),
    },
  );
  terminal.out(`${name} deleted\n`);
}

function isAboutOne({ code }: BowlineError): boolean {
  return ["NotFound", "StillReferenced", "Forbidden", "Conflict", "PreconditionFailed"].includes(code);
}

/** Says what to do about what is in the way; the notes below the sentence say what that is. */
function explained(thrown: unknown, { cascade }: DeleteOptions): BowlineError {
  const error = BowlineError.from(thrown);
  if (error.code !== "StillReferenced") return error;
  const advice = cascade
    ? "These have to be changed by hand first:"
    : "Change these first, or use --cascade to delete them too, or to take the name out of them:";
  return new BowlineError(error.code, `${error.message} ${advice}`, {
    cause: error,
    ...(error.details === undefined ? {} : { details: error.details }),
  });
}

/** How many names a question shows. */
const maxNamesAsked = 10;

/** The objects that a command line means. What it does not name one by one, somebody at a terminal has to confirm. */
async function deletionTargets(
  context: CommandContext,
  args: readonly string[],
  options: DeleteOptions,
): Promise<readonly Resource[]> {
  if (options.filename !== undefined) {
    if (args.length > 0 || options.all || hasSelector(options)) throw either();
    return manifestsFrom(context, { ...options, filename: options.filename });
  }
  const wanted = parseResources(args);
  if (wanted.by === "name") {
    refuseSelectorWithNames(options);
    if (options.all) throw either();
    return wanted.resources;
  }
  const targets = await selectedResources(context, wanted.kinds, options);
  if (targets.length === 0) context.terminal.error("No objects found.\n");
  else await confirm(context, targets, options);
  return targets;
}

function either(): BowlineError {
  return new BowlineError("InvalidArgument", "Give names, or -f, or -l, or --all: one of them, not several.");
}

/** A script that says -l or --all means it; a person may have forgotten half of the label. */
async function confirm(
  { terminal, signal }: CommandContext,
  targets: readonly Resource[],
  { yes, dryRun }: DeleteOptions,
): Promise<void> {
  if (yes || dryRun || !terminal.canAsk) return;
  const names = targets.slice(0, maxNamesAsked).map(resourceName);
  const more = targets.length > names.length ? ` and ${targets.length - names.length} more` : "";
  const answer = await terminal.ask(`Delete ${names.join(", ")}${more}? [y/N] `, { signal });
  if (/^y(es)?$/iu.test(answer.trim())) return;
  terminal.error("Nothing was deleted.\n");
  throw new CommandExit(1);
}
