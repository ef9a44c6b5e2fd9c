import { findKind } from "@bowline/api";
import type { DeletionStep } from "@bowline/client";
import { BowlineError } from "@bowline/core";

import type { CommandContext } from "../../command/command-context.ts";
import { CommandExit, failureNotes } from "../../command/failure.ts";
import { inDeleteOrder } from "../../manifests/apply-order.ts";
import type { ManifestOptions } from "../../manifests/manifest-options.ts";
import { printableLine } from "../../output/terminal-text.ts";
import { isNotFound } from "../../resources/find-objects.ts";
import { resourceName, type Resource } from "../../resources/resource.ts";
import type { SelectOptions } from "../../resources/select-options.ts";
import { waitForObject } from "../wait/wait-for-object.ts";
import { deletionTargets } from "./deletion-targets.ts";

export interface DeleteOptions extends SelectOptions, ManifestOptions {
  readonly all: boolean;
  readonly cascade: boolean;
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
  const { cascade, dryRun } = options;
  const client = await context.client();
  const name = resourceName(target);
  try {
    const deleted = await client.delete(target.kind, target.name, { cascade, dryRun, signal });
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

/** What `--cascade` would do to an object that refers to the one that is deleted, or to that one itself. */
function planLine({ action, kind, name }: DeletionStep): string {
  const known = findKind(kind)?.singular ?? kind.toLowerCase();
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
