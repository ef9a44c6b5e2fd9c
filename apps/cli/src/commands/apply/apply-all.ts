import type { Kind } from "@bowline/api";
import type { Applied } from "@bowline/client";

import type { CommandContext } from "../../command/command-context.ts";
import { applyManifest } from "../../manifests/apply-manifest.ts";
import { inApplyOrder } from "../../manifests/apply-order.ts";
import { DryRun } from "../../manifests/dry-run.ts";
import type { Manifest } from "../../manifests/manifest.ts";
import { manifestsFrom, type ManifestOptions } from "../../manifests/manifest-options.ts";
import { resourceName, type Resource } from "../../resources/resource.ts";
import { parseWaitCondition } from "../wait/wait-condition.ts";
import { waitForObject } from "../wait/wait-for-object.ts";
import { writeManifests, type WriteManifestsOptions } from "./write-manifests.ts";

export interface ApplyCommandOptions
  extends ManifestOptions, Pick<WriteManifestsOptions, "dryRun" | "output"> {
  readonly wait: boolean;
  readonly timeout: number;
}

const outcomes = { created: "created", updated: "configured", unchanged: "unchanged" } as const;

export async function applyAll(context: CommandContext, options: ApplyCommandOptions): Promise<void> {
  const manifests = inApplyOrder(await manifestsFrom(context, options));
  const client = await context.client();
  const { dryRun, output } = options;
  const rehearsal = new DryRun(client, context.signal);
  const apply = (manifest: Manifest): Promise<Applied<Kind>> =>
    applyManifest(client, manifest, { dryRun: false, signal: context.signal });
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
