import type { Kind } from "@bowline/api";
import type { Applied } from "@bowline/client";
import type { Command } from "commander";

import type { CommandContext } from "../command/command-context.ts";
import { addExamples } from "../command/command-set.ts";
import { outputOption, timeoutOption } from "../command/shared-options.ts";
import { applyManifest, DryRun } from "../manifests/apply-manifest.ts";
import { inApplyOrder, type Manifest } from "../manifests/manifest.ts";
import { addManifestOptions, manifestsFrom, type ManifestOptions } from "../manifests/manifest-options.ts";
import { writeManifests, type WriteManifestsOptions } from "../manifests/write-manifests.ts";
import { resourceName, type Resource } from "../resources/resource.ts";
import { parseWaitCondition, waitForObject } from "../resources/wait-for-object.ts";

export function addApplyCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("apply")
    .usage("-f FILE... [FLAGS]")
    .description(
      "Make objects what files say: create what is missing, change what differs, leave the rest alone. What others refer to comes first, in whatever order it is written.",
    );
  addManifestOptions(command, { mandatory: true })
    .option("--dry-run", "Have the server check everything and write nothing", false)
    .option("--override", "Change what comes from git all the same, until its next commit", false)
    .addOption(outputOption(["json", "yaml", "name"]))
    .option("--wait", "Wait until what was applied is ready", false)
    .addOption(timeoutOption("With --wait: how long to wait for all of it together", "5m"))
    .action((options: ApplyCommandOptions) => applyAll(context, options));
  addExamples(command, [
    {
      does: "Apply a file, and see first what would change",
      run: "bowline diff -f web.yaml\nbowline apply -f web.yaml",
    },
    {
      does: "Apply a folder with its folders, and wait until everything runs",
      run: "bowline apply -R -f deploy/ --wait",
    },
    { does: "Apply what another program prints", run: "kustomize build clusters/ | bowline apply -f -" },
    { does: "Check files without changing anything", run: "bowline apply -f deploy/ --dry-run" },
  ]);
}

interface ApplyCommandOptions extends ManifestOptions, Pick<WriteManifestsOptions, "dryRun" | "output"> {
  readonly override: boolean;
  readonly wait: boolean;
  readonly timeout: number;
}

const outcomes = { created: "created", updated: "configured", unchanged: "unchanged" } as const;

async function applyAll(context: CommandContext, options: ApplyCommandOptions): Promise<void> {
  const manifests = inApplyOrder(await manifestsFrom(context, options));
  const client = await context.client();
  const { dryRun, override, output } = options;
  const rehearsal = new DryRun(client, context.signal, override);
  const apply = (manifest: Manifest): Promise<Applied<Kind>> =>
    applyManifest(client, manifest, { dryRun: false, override, signal: context.signal });
  const applied = await writeManifests(context, manifests, {
    dryRun,
    ...(output === undefined ? {} : { output }),
    write: async (manifest) => {
      const { outcome, object } = await (dryRun ? rehearsal.apply(manifest) : apply(manifest));
      return { outcome: outcomes[outcome], object };
    },
  });
  if (options.wait && !dryRun) await waitUntilReady(context, applied, options.timeout);
}

/** Only of what has something to become ready for. */
async function waitUntilReady(
  { client, clock, signal, terminal }: CommandContext,
  applied: readonly Resource[],
  timeoutMs: number,
): Promise<void> {
  const deadlineMs = clock.monotonicMs() + timeoutMs;
  for (const resource of applied) {
    if (!Object.hasOwn(resource.kind.conditions, "Ready")) continue;
    await waitForObject(resource, parseWaitCondition(resource.kind, "condition=Ready"), {
      client: await client(),
      clock,
      signal,
      timeoutMs: Math.max(0, deadlineMs - clock.monotonicMs()),
      onState: (state) => terminal.error(`Waiting for ${resourceName(resource)}: ${state}\n`),
    });
    terminal.error(`${resourceName(resource)} is ready.\n`);
  }
}
