import type { ApiObject } from "@bowline/api";
import type { Client } from "@bowline/client";

import type { CommandContext } from "../../command/command-context.ts";
import { inApplyOrder } from "../../manifests/apply-order.ts";
import { atManifest } from "../../manifests/at-manifest.ts";
import { DryRun } from "../../manifests/dry-run.ts";
import type { Manifest } from "../../manifests/manifest.ts";
import { manifestsFrom, type ManifestOptions } from "../../manifests/manifest-options.ts";
import { getObjects } from "../../resources/find-objects.ts";
import { comparableText } from "./comparable-text.ts";
import { secretMarks } from "./secret-marks.ts";
import { unifiedDiff } from "./unified-diff.ts";

/** Prints what would change in each object; tells whether anything would. */
export async function diffAll(context: CommandContext, options: ManifestOptions): Promise<boolean> {
  const manifests = inApplyOrder(await manifestsFrom(context, options));
  const client = await context.client();
  const turn = { client, rehearsal: new DryRun(client, context.signal) };
  let isDifferent = false;
  for (const manifest of manifests) {
    const text = await diffOf(context, turn, manifest).catch((thrown: unknown) => {
      throw atManifest(manifest, thrown);
    });
    if (text !== "") isDifferent = true;
    context.terminal.out(text);
  }
  return isDifferent;
}

interface DiffTurn {
  readonly client: Client;
  readonly rehearsal: DryRun;
}

/** What the server would make of a manifest, against what it has: defaults and all, which a file alone does not tell. */
async function diffOf(
  context: CommandContext,
  { client, rehearsal }: DiffTurn,
  manifest: Manifest,
): Promise<string> {
  const { signal, paint } = context;
  const current = await currentObject(client, manifest, signal);
  const { object: next } = await rehearsal.apply(manifest);
  const marks = await secretMarks(client, manifest, { current, signal });
  return unifiedDiff(
    current === undefined ? "" : comparableText(manifest.kind, current, marks.before),
    comparableText(manifest.kind, next, marks.after),
    { manifest, paint },
  );
}

async function currentObject(
  client: Client,
  manifest: Manifest,
  signal: AbortSignal,
): Promise<ApiObject | undefined> {
  const { found } = await getObjects(client, [manifest], signal);
  return found[0]?.object;
}
