import { BowlineError, isRecord } from "@bowline/core";
import { parseYaml } from "@bowline/manifests";

import { kustomizationNames } from "../files/choose-files.ts";
import { tooLarge, unsafePath } from "../files/source-file.ts";
import { maxExpandedLengthOf, type RenderLimits } from "../render-limits.ts";
import { chartFields, referencesOf, type KustomizationReference } from "./kustomization-references.ts";
import type { ManifestFile, RenderProblem } from "./read-manifests.ts";

export interface KustomizationRequest {
  readonly files: readonly ManifestFile[];
  /** The folder that is rendered. */
  readonly folder: string;
  readonly limits: RenderLimits;
}

/**
 * Follows every kustomization that can be reached from a folder, and refuses whatever one of them refers to that is not
 * among the files: an address, which kustomize would fetch by itself, a path that leads out, a file that is missing.
 * The problems of files that are no YAML are returned; `UnsafePath` and `RenderFailed` are thrown.
 */
export function checkKustomizations({ files, folder, limits }: KustomizationRequest): RenderProblem[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const folders = foldersOf(byPath.keys());
  const open = [folder];
  const seen = new Set(open);
  const problems: RenderProblem[] = [];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const file = kustomizationIn(next, byPath);
    const read = readKustomization(file, limits);
    problems.push(...read.problems);
    const chart = chartFields.find((field) => field in read.value);
    if (chart !== undefined) {
      throw failed(file.path, `${file.path}: ${chart} is not rendered. Render the chart by itself, as Helm.`);
    }
    for (const reference of referencesOf(read.value)) {
      const target = targetOf(reference, { file: file.path, folder: next });
      if (byPath.has(target) && reference.kind !== "folder") continue;
      if (!folders.has(target) || reference.kind === "file") throw missing(reference, file.path);
      if (!seen.has(target)) open.push(target);
      seen.add(target);
    }
  }
  return problems;
}

function foldersOf(paths: Iterable<string>): Set<string> {
  const folders = new Set<string>([""]);
  for (const path of paths) {
    for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1))
      folders.add(path.slice(0, at));
  }
  return folders;
}

function kustomizationIn(folder: string, files: ReadonlyMap<string, ManifestFile>): ManifestFile {
  const place = folder === "" ? "" : `${folder}/`;
  const found = kustomizationNames.flatMap((name) => files.get(`${place}${name}`) ?? []);
  const [only, second] = found;
  if (only === undefined) {
    throw failed(folder, `There is no kustomization.yaml in ${folder === "" ? "the folder" : folder}.`);
  }
  if (second !== undefined) {
    throw failed(folder, `There are two kustomizations in one folder: ${only.path} and ${second.path}.`);
  }
  return only;
}

function readKustomization(
  { path, bytes }: ManifestFile,
  limits: RenderLimits,
): { readonly value: Readonly<Record<string, unknown>>; readonly problems: readonly RenderProblem[] } {
  const text = new TextDecoder().decode(bytes);
  const maxExpandedLength = maxExpandedLengthOf(text, limits);
  const { documents, problems } = parseYaml(text, { maxBytes: limits.fileBytes, maxExpandedLength });
  const large = problems.find(({ limit }) => limit !== undefined);
  if (large !== undefined) throw tooLarge(`${path}: ${large.message}.`, { path, exceeded: large.limit });
  const values = documents.filter((value) => value !== null);
  const [value = {}, ...others] = values;
  if (!isRecord(value) || others.length > 0) throw failed(path, `${path} is not one object with fields.`);
  return { value, problems: problems.map((problem) => ({ ...problem, file: path })) };
}

interface ReferencePlace {
  readonly file: string;
  readonly folder: string;
}

/** The path from the root. Throws `UnsafePath` for an address, and for what leads out of the files. */
function targetOf({ field, text }: KustomizationReference, { file, folder }: ReferencePlace): string {
  const shown = `${field} «${text.slice(0, 200).replaceAll(/\p{Cc}/gu, "�")}»`;
  if (isAddress(text)) {
    throw unsafePath(
      file,
      `${file}: ${shown} is an address, and nothing is fetched while rendering. Commit the files it stands for, and refer to those.`,
    );
  }
  const parts: string[] = folder === "" ? [] : folder.split("/");
  const outside = unsafePath(
    file,
    `${file}: ${shown} leads out of the files that are rendered. Render from a folder that has both.`,
  );
  if (text.startsWith("/")) throw outside;
  for (const part of text.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.pop() === undefined) throw outside;
  }
  return parts.join("/");
}

/** Every form that kustomize, of any version, takes for something to fetch. */
function isAddress(text: string): boolean {
  return (
    /^[a-z][a-z0-9+.-]*:/iu.test(text) ||
    /^[^/@]*@[^/:]*:/u.test(text) ||
    text.includes("//") ||
    text.includes("?")
  );
}

function missing({ field, text }: KustomizationReference, file: string): BowlineError {
  // `github.com/someone/something` is an address too, and looks like a path.
  const shown = text.slice(0, 200).replaceAll(/\p{Cc}/gu, "�");
  return unsafePath(
    file,
    `${file}: ${field} «${shown}» is not among the files that are rendered; addresses are not fetched. Commit it there.`,
  );
}

function failed(path: string, message: string): BowlineError {
  return new BowlineError("RenderFailed", message, { details: { path } });
}
