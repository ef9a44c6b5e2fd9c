import { ConfigSource, findKind } from "@bowline/api";
import { BowlineError } from "@bowline/core";

import type { CommandContext } from "../../command/command-context.ts";
import { printableLine } from "../../output/terminal-text.ts";

/** The name in `cs/NAME`; undefined when it is no source of configuration. */
export function configSourceName(argument: string): string | undefined {
  const [kind = "", name, ...rest] = argument.split("/");
  if (name === undefined || name === "" || rest.length > 0) return undefined;
  return findKind(kind) === ConfigSource ? name : undefined;
}

/** Agrees to the deletions that a source of configuration holds, of the commit that they are of and no other. */
export async function approveSource(
  { client: open, signal, terminal }: CommandContext,
  name: string,
  { dryRun, revision }: { readonly dryRun: boolean; readonly revision?: string },
): Promise<void> {
  const client = await open();
  const source = await client.get(ConfigSource, name, { signal });
  const { held } = source.status;
  if (held === undefined) {
    terminal.error(`Nothing waits for approval; see how it does: bowline describe cs/${name}\n`);
    return;
  }
  const { commit, deletions, total, objects } = held;
  if (revision !== undefined && (revision.length < 8 || !commit.startsWith(revision))) {
    throw new BowlineError(
      "Conflict",
      `The commit that is held is ${commit}; look at it, then agree to that one.`,
    );
  }
  const more = deletions - objects.length;
  const lines = [
    `PruneHeld: ${deletions} of ${total} objects are not in commit ${commit.slice(0, 12)}.`,
    ...objects.map((object) => `  ${printableLine(`${object.kind} ${object.name}`)}`),
    ...(more > 0 ? [`  … and ${more} more`] : []),
    `configsource/${name} approved${dryRun ? " (dry run)" : ""}`,
  ];
  if (!dryRun) {
    const ifMatch = source.metadata.resourceVersion;
    await client.patch(ConfigSource, name, { spec: { approved: { commit } } }, { ifMatch, signal });
  }
  terminal.out(`${lines.join("\n")}\n`);
  if (!dryRun) terminal.error(`They are deleted now; see it: bowline get cs ${name}\n`);
}
