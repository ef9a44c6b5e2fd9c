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
import type { Command } from "commander";
import { structuredPatch } from "diff";

import type { CommandContext } from "../command/command-context.ts";
import { addExamples } from "../command/command-set.ts";
import { CommandExit } from "../command/failure.ts";
import { inApplyOrder, atManifest, placeOf, type Manifest } from "../manifests/manifest.ts";
import { DryRun } from "../manifests/apply-manifest.ts";
import { addManifestOptions, manifestsFrom, type ManifestOptions } from "../manifests/manifest-options.ts";
import { toYaml } from "../output/to-yaml.ts";
import { getObjects } from "../resources/find-objects.ts";
import { resourceName } from "../resources/resource.ts";
import type { Paint } from "../command/terminal.ts";

/** As of `diff` and `kubectl diff`, so that scripts that know those know this one. */
const exitCodes = { different: 1, failed: 2 };

export function addDiffCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("diff")
    .usage("-f FILE... [FLAGS]")
    .description(
      "Show what apply would change. Exits with 0 when nothing would, 1 when something would, 2 when it cannot tell. Secrets are never shown, only that they would change.",
    );
  addManifestOptions(command, { mandatory: true }).action(async (options: ManifestOptions) => {
    const isDifferent = await diffAll(context, options).catch((thrown: unknown) => {
      throw new CommandExit(exitCodes.failed, thrown);
    });
    if (isDifferent) throw new CommandExit(exitCodes.different);
  });
  addExamples(command, [
    { does: "See what a file would change", run: "bowline diff -f web.yaml" },
    {
      does: "Apply a folder only if it would change something",
      run: "bowline diff -R -f deploy/ || bowline apply -R -f deploy/",
    },
  ]);
}

/** Prints what would change in each object; tells whether anything would. */
async function diffAll(context: CommandContext, options: ManifestOptions): Promise<boolean> {
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
    metadata: sorted({ name, labels, annotations }),
    spec: sorted(joinSecrets(kind, spec, secretMarks)),
  });
}

function specOf({ spec }: { readonly spec?: unknown }): Readonly<Record<string, unknown>> {
  return isRecord(spec) ? spec : {};
}

/** The order of keys means nothing, and must not look like a change. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, item]) => [key, sorted(item)]));
}

interface DiffOptions {
  readonly manifest: Manifest;
  readonly paint: Paint;
}

/** The exact difference of two huge texts that share nothing takes forever, and nobody would read it. */
const longestDiffMs = 5_000;

/** Two texts as a unified diff, or nothing when they are the same. */
export function unifiedDiff(before: string, after: string, { manifest, paint }: DiffOptions): string {
  if (before === after) return "";
  const name = resourceName(manifest);
  const patch = structuredPatch(name, name, before, after, undefined, undefined, {
    context: 3,
    timeout: longestDiffMs,
  });
  const lines = patch?.hunks.flatMap((hunk) => [
    paint("cyan", `@@ -${range(hunk.oldStart, hunk.oldLines)} +${range(hunk.newStart, hunk.newLines)} @@`),
    ...hunk.lines.map((line) => paintLine(paint, line)),
  ]) ?? ["The two are too different to show how."];
  const headers = [
    `--- ${name}${before === "" ? " (missing)" : ""}`,
    `+++ ${name} (${placeOf(manifest.origin)})`,
  ];
  return [...headers.map((line) => paint("bold", line)), ...lines].map((line) => `${line}\n`).join("");
}

/** No lines begin after the line before them: that is how programs that apply patches want it. */
function range(start: number, lines: number): string {
  return `${lines === 0 ? start - 1 : start},${lines}`;
}

function paintLine(paint: Paint, line: string): string {
  if (line.startsWith("+")) return paint("green", line);
  return line.startsWith("-") ? paint("red", line) : line;
}
