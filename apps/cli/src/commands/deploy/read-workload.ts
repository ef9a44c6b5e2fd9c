import { basename, dirname, extname, resolve } from "node:path";

import { apiVersion, findKind } from "@bowline/api";
import { BowlineError } from "@bowline/core";
import {
  maxManifestBytes,
  objectKey,
  objectLabel,
  parseManifests,
  referencesIn,
  type ManifestObject,
  type ManifestProblem,
} from "@bowline/manifests";

import type { CommandContext } from "../../command/command-context.ts";
import { readSources, type ManifestSource } from "../../manifests/read-sources.ts";
import { printableLine } from "../../output/terminal-text.ts";
import { isObjectName } from "../../resources/resource.ts";

/** The Kubernetes manifests that are to be deployed. */
export interface Workload {
  /** All files in the order of their names, as one text of several documents. */
  readonly manifests: string;
  readonly objectCount: number;
  /** The parameters that they refer to, sorted. */
  readonly parameters: readonly string[];
}

interface ReadWorkloadOptions {
  readonly recursive: boolean;
}

/** Reads a file, the files of a folder, or standard input. Throws `Invalid`, with every problem and its place. */
export async function readWorkload(
  { terminal, signal }: CommandContext,
  path: string,
  { recursive }: ReadWorkloadOptions,
): Promise<Workload> {
  const sources = await readSources([path], { recursive, readStdin: terminal.readStdin, signal });
  return workloadIn(path, sources);
}

/** The workload in texts that have been read, or made. Throws `Invalid`, with every problem and its place. */
export function workloadIn(path: string, sources: readonly ManifestSource[]): Workload {
  const parsed = sources.map(parseSource);
  const objects = parsed.flatMap((source) => source.objects);
  const problems = [...parsed.flatMap((source) => source.problems), ...duplicates(parsed)];
  if (problems.length > 0) throw invalid(problems);
  if (objects.length === 0) {
    throw new BowlineError("InvalidArgument", `There are no Kubernetes objects in ${printableLine(path)}.`);
  }
  const manifests = joinTexts(sources);
  const size = Buffer.byteLength(manifests);
  if (size > maxManifestBytes) {
    throw new BowlineError(
      "Invalid",
      `The manifests in ${printableLine(path)} have ${size} bytes, and a definition has room for ${maxManifestBytes}; deploy parts of them under names of their own.`,
    );
  }
  return {
    manifests,
    objectCount: objects.length,
    parameters: referencesIn(objects).parameters.map(({ name }) => name),
  };
}

/**
 * The name that a file or a folder suggests; undefined for standard input, and where nothing of it can be used. Every
 * program is called app.ts, so its folder has the better name.
 */
export function nameFromPath(path: string): string | undefined {
  if (path === "-") return undefined;
  const full = resolve(path);
  const file = /^(?:app|index)\.[cm]?[jt]s$/u.test(basename(full)) ? basename(dirname(full)) : basename(full);
  const extension = /^\.(?:ya?ml|json|[cm]?[jt]s)$/iu.test(extname(file)) ? extname(file) : "";
  const name = file
    .slice(0, file.length - extension.length)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/gu, "-")
    .replaceAll(/^-|-$/gu, "");
  return isObjectName(name) ? name : undefined;
}

interface PlacedProblem {
  /** `web.yaml, document 2, line 14`. */
  readonly path: string;
  readonly message: string;
}

interface ParsedSource {
  readonly source: string;
  readonly objects: readonly ManifestObject[];
  readonly problems: readonly PlacedProblem[];
}

function parseSource({ source, text }: ManifestSource): ParsedSource {
  const { objects, problems } = parseManifests(withoutMark(text));
  const found = [...problems, ...referencesIn(objects).problems, ...objects.flatMap(ownObjectProblems)];
  return { source, objects, problems: found.map((problem) => placed(source, problem)) };
}

/** Definitions, clusters and the like are not for a cluster of Kubernetes. */
function ownObjectProblems(object: ManifestObject): ManifestProblem[] {
  const kind = object.apiVersion === apiVersion ? findKind(object.kind) : undefined;
  if (kind === undefined) return [];
  const message = `a ${kind.kind} is an object of the server itself; bowline apply -f writes those`;
  return [{ object: objectLabel(object), message }];
}

function placed(source: string, { document, line, object, path, message }: ManifestProblem): PlacedProblem {
  const where = [
    source,
    ...(document === undefined || line !== undefined ? [] : [`document ${document}`]),
    ...(line === undefined ? [] : [`line ${line}`]),
  ];
  const what = [object, path, message].filter((part) => part !== undefined && part !== "");
  return { path: where.join(", "), message: what.join(": ") };
}

/** Of one file, the parser has found them, with their lines. */
function duplicates(parsed: readonly ParsedSource[]): PlacedProblem[] {
  const seen = new Map<string, string>();
  const problems: PlacedProblem[] = [];
  for (const { source, objects } of parsed) {
    for (const object of objects) {
      const key = JSON.stringify(Object.values(objectKey(object)));
      const other = seen.get(key);
      if (other === undefined) seen.set(key, source);
      else
        problems.push({
          path: source,
          message: `${objectLabel(object)}: the same object is in ${other} already`,
        });
    }
  }
  return problems;
}

function invalid(problems: readonly PlacedProblem[]): BowlineError {
  const [first, ...others] = problems;
  const more = others.length === 0 ? "" : ` (and ${others.length} more)`;
  return new BowlineError("Invalid", `${first?.path ?? ""}: ${first?.message ?? ""}${more}.`, {
    details: { fields: problems },
  });
}

/** One text as it is, several with a separator between them. */
function joinTexts(sources: readonly ManifestSource[]): string {
  const texts = sources.map(({ text }) => withoutMark(text));
  return texts.map((text) => (text === "" || text.endsWith("\n") ? text : `${text}\n`)).join("---\n");
}

/** Some editors begin a file with this mark, which is allowed at the beginning of a text only. */
function withoutMark(text: string): string {
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}
