import type { Command } from "commander";

import type { CommandContext } from "../command/command-context.ts";
import { addExamples } from "../command/command-set.ts";
import { outputOption } from "../command/shared-options.ts";
import { inApplyOrder } from "../manifests/manifest.ts";
import { addManifestOptions, manifestsFrom, type ManifestOptions } from "../manifests/manifest-options.ts";
import { writeManifests, type WriteManifestsOptions } from "../manifests/write-manifests.ts";

type CreateOptions = ManifestOptions & Pick<WriteManifestsOptions, "dryRun" | "output">;

export function addCreateCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("create")
    .usage("-f FILE... [FLAGS]")
    .description(
      "Create the objects in files. Those that exist already are refused; apply changes them instead.",
    );
  addManifestOptions(command, { mandatory: true })
    .option("--dry-run", "Have the server check everything and write nothing", false)
    .addOption(outputOption(["json", "yaml", "name"]))
    .action((options: CreateOptions) => createAll(context, options));
  addExamples(command, [
    { does: "Create what is in a file", run: "bowline create -f cluster.yaml" },
    { does: "Keep the secret of a new token", run: "bowline create -f token.yaml -o json > token.json" },
  ]);
}

async function createAll(context: CommandContext, options: CreateOptions): Promise<void> {
  const manifests = inApplyOrder(await manifestsFrom(context, options));
  const client = await context.client();
  const { dryRun, output } = options;
  await writeManifests(context, manifests, {
    dryRun,
    ...(output === undefined ? {} : { output }),
    write: async ({ kind, body }) => ({
      outcome: "created",
      object: await client.create(kind, body, { dryRun, signal: context.signal }),
    }),
  });
}
