import {
  joinSecrets,
  splitSecrets,
  type ApiObject,
  type Kind,
  type Secrets,
  type UserMetadata,
} from "@bowline/api";
import type { Client } from "@bowline/client";
import { hasCode, isRecord } from "@bowline/core";

import type { CommandContext } from "../../command/command-context.ts";
import { inApplyOrder, atManifest, placeOf, type Manifest } from "../../manifests/manifest.ts";
import { DryRun } from "../../manifests/apply-manifest.ts";
import { manifestsFrom, type ManifestOptions } from "../../manifests/manifest-options.ts";
import { toYaml } from "../../output/to-yaml.ts";
import { inKeyOrder, unifiedDiff } from "./unified-diff.ts";
import { getObjects } from "../../resources/find-objects.ts";
import { resourceName } from "../../resources/resource.ts";

/** Prints what would change in each object; tells whether anything would. */
export async function diffObjects(context: CommandContext, options: ManifestOptions): Promise<boolean> {
  const manifests = inApplyOrder(await manifestsFrom(context, options));
  const client = await context.client();
  const tools = { client, rehearsal: new DryRun(client, context.signal) };
  let isDifferent = false;
  for (const manifest of manifests) {
    const text = await diffOf(context, tools, manifest).catch((thrown: unknown) => {
      throw atManifest(manifest, thrown);
    });
    if (text !== "") isDifferent = true;
    context.terminal.out(text);
  }
  return isDifferent;
}

interface DiffTools {
  readonly client: Client;
  readonly rehearsal: DryRun;
}

/** The object as it is, against what the server would make of a manifest, with the defaults that no file tells. */
async function diffOf(
  context: CommandContext,
  { client, rehearsal }: DiffTools,
  manifest: Manifest,
): Promise<string> {
  const { signal, paint } = context;
  const current = await currentObject(client, manifest, signal);
  const { object: next } = await rehearsal.apply(manifest);
  const marks = await secretMarks(client, manifest, { current, signal });
  const name = resourceName(manifest);
  return unifiedDiff(
    current === undefined ? "" : comparableText(manifest.kind, current, marks.before),
    comparableText(manifest.kind, next, marks.after),
    {
      before: current === undefined ? `${name} (missing)` : name,
      after: `${name} (${placeOf(manifest.origin)})`,
    },
    paint,
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

/** The words that stand in a diff in the place of secret fields, by path. */
interface SecretMarks {
  readonly before: Secrets;
  readonly after: Secrets;
}

interface SecretMarksOptions {
  readonly current: ApiObject | undefined;
  readonly signal: AbortSignal;
}

/** Tells whether a manifest would change secrets; their values are shown neither by the server nor by us. */
async function secretMarks(
  client: Client,
  manifest: Manifest,
  options: SecretMarksOptions,
): Promise<SecretMarks> {
  const { secrets } = splitSecrets(manifest.kind, specOf(manifest.body));
  const paths = Object.keys(secrets);
  if (paths.length === 0) return { before: {}, after: {} };
  const before = marked(paths, "(secret)");
  if (options.current === undefined) return { before: {}, after: before };
  const isSame = await areSame(client, manifest, { ...options, current: options.current, secrets });
  return { before, after: isSame ? before : marked(paths, "(secret, changed)") };
}

interface Probe {
  readonly current: ApiObject;
  readonly secrets: Secrets;
  readonly signal: AbortSignal;
}

/** Asks what would happen to the object as it is, if only its secrets were those of the manifest. */
async function areSame(client: Client, { kind, name }: Manifest, probe: Probe): Promise<boolean> {
  const { labels, annotations } = probe.current.metadata;
  const body = {
    metadata: { name, labels, annotations },
    spec: joinSecrets(kind, probe.current.spec, probe.secrets),
  };
  try {
    const { outcome } = await client.apply(kind, name, body, { dryRun: true, signal: probe.signal });
    return outcome === "unchanged";
  } catch (thrown) {
    // Secrets that do not fit the object as it is cannot be those it has.
    if (hasCode(thrown, "Invalid")) return false;
    throw thrown;
  }
}

function marked(paths: readonly string[], mark: string): Secrets {
  return Object.fromEntries(paths.map((path) => [path, mark]));
}

/** An object of the server, or one that is not there yet. */
interface Comparable {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: UserMetadata;
  readonly spec: unknown;
}

/** The fields of an object that people decide about, as YAML: the server's own are left out, and keys have one order. */
function comparableText(kind: Kind, object: Comparable, secretMarks: Secrets): string {
  const { name, labels, annotations } = object.metadata;
  // Objects from the server have none; one that was only checked here has the values themselves.
  const { spec } = splitSecrets(kind, specOf(object));
  return toYaml({
    apiVersion: object.apiVersion,
    kind: object.kind,
    metadata: inKeyOrder({ name, labels, annotations }),
    spec: inKeyOrder(joinSecrets(kind, spec, secretMarks)),
  });
}

function specOf({ spec }: { readonly spec?: unknown }): Readonly<Record<string, unknown>> {
  return isRecord(spec) ? spec : {};
}
