import { canonicalJson, shortened } from "@bowline/core";
import {
  describeProblem,
  objectKey,
  objectLabel,
  parseManifests,
  referenceProblems,
  type ManifestObject,
  type ManifestProblem,
} from "@bowline/manifests";

import type { RendererType } from "../files/choose-files.ts";
import { tooLarge } from "../files/source-file.ts";
import { maxExpandedLengthOf, type RenderLimits } from "../render-limits.ts";
import { translateHooks } from "./chart-hooks.ts";

/** A text with manifests in it. */
export interface ManifestFile {
  /** Its path, or what printed it. */
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** One thing that is wrong, with the file it is in. */
export interface RenderProblem extends ManifestProblem {
  readonly file?: string;
}

/** `shop/web.yaml: document 2, line 14: Deployment web: …`. */
export function describeRenderProblem({ file, ...problem }: RenderProblem): string {
  return file === undefined ? describeProblem(problem) : `${file}: ${describeProblem(problem)}`;
}

export interface ReadRequest {
  readonly files: readonly ManifestFile[];
  readonly maxFileBytes: number;
  readonly limits: RenderLimits;
  /** What wrote them. The hooks of charts are translated, or taken out. */
  readonly renderer: RendererType;
  /** The parameters that there are; references are not looked at where this is missing. */
  readonly parameters?: readonly string[] | undefined;
}

export interface ReadResult {
  /** The objects as canonical JSON: one text goes from thread to thread far faster than a million values. */
  readonly content: string;
  readonly count: number;
  /** What was left out on purpose. */
  readonly notes: readonly string[];
  readonly problems: readonly RenderProblem[];
}

/** More would help nobody. */
const maxProblems = 100;

/** Reads the objects of all files, in the order of the files. Throws `TooLarge`, with the file and both numbers. */
export function readManifests(request: ReadRequest): ReadResult {
  const { files, maxFileBytes, limits, renderer, parameters } = request;
  const found = new Map<string, FoundObject>();
  const problems: RenderProblem[] = [];
  for (const file of files) {
    const text = textOf(file);
    if (text === undefined) {
      problems.push({ file: file.path, message: "this is not text in UTF-8" });
      continue;
    }
    const textLimits = {
      maxBytes: maxFileBytes,
      maxExpandedLength: maxExpandedLengthOf(text, limits),
    };
    const parsed = parseManifests(text, textLimits);
    for (const problem of parsed.problems) {
      if (problem.limit !== undefined) throw limitError(file.path, problem, textLimits.maxExpandedLength);
      problems.push({ ...problem, file: file.path });
    }
    for (const object of parsed.objects) addObject(found, problems, { object, file: file.path });
    if (found.size > limits.objects) {
      throw tooLarge(
        `With ${file.path}, these are ${found.size} objects; at most ${limits.objects} are rendered.`,
        { path: file.path, actual: found.size, limit: limits.objects },
      );
    }
  }
  if (problems.length === 0 && parameters !== undefined) {
    const objects = [...found.values()].map(({ object }) => object);
    problems.push(...referenceProblems(objects, parameters));
  }
  if (problems.length > 0) return refused(problems);
  const ordered = renderer === "yaml" ? [...found.values()] : inKeyOrder(found);
  if (renderer !== "helm") return { ...contentOf(ordered, limits), notes: [], problems };
  const kept = translateHooks(ordered);
  if (kept.problems.length > 0) return refused(kept.problems);
  return { ...contentOf(kept.objects, limits), notes: kept.notes, problems };
}

export function refused(problems: readonly RenderProblem[]): ReadResult {
  return { content: "[]", count: 0, notes: [], problems: problems.slice(0, maxProblems) };
}

export interface FoundObject {
  readonly object: ManifestObject;
  readonly file: string;
}

/** Renderers of different versions print the same objects in different orders. */
function inKeyOrder(found: ReadonlyMap<string, FoundObject>): FoundObject[] {
  return [...found].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object);
}

function addObject(found: Map<string, FoundObject>, problems: RenderProblem[], added: FoundObject): void {
  const { object, file } = added;
  const key = JSON.stringify(Object.values(objectKey(object)));
  const other = found.get(key);
  if (other === undefined) found.set(key, added);
  else {
    problems.push({
      file,
      object: objectLabel(object),
      message: `the same object is in ${other.file} already`,
    });
  }
}

export function textOf({ bytes }: ManifestFile): string | undefined {
  try {
    // Takes a byte order mark away.
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Stops at the limit: objects that share what an alias stands for are far longer as text than in memory. */
function contentOf(
  found: readonly FoundObject[],
  { renderedBytes }: RenderLimits,
): Pick<ReadResult, "content" | "count"> {
  const texts: string[] = [];
  let size = 2;
  for (const { object, file } of found) {
    const text = canonicalJson(object);
    size += Buffer.byteLength(text) + 1;
    if (size > renderedBytes) {
      throw tooLarge(
        `With ${objectLabel(object)} in ${file}, the objects have more than ${renderedBytes} bytes; split them into several definitions.`,
        { path: file, actual: size, limit: renderedBytes },
      );
    }
    texts.push(text);
  }
  return { content: `[${texts.join(",")}]`, count: texts.length };
}

export function limitError(path: string, problem: ManifestProblem, maxExpandedLength: number): Error {
  const { line, message, limit } = problem;
  const place = line === undefined ? path : `${path}, line ${line}`;
  const details = {
    path,
    line,
    exceeded: limit,
    ...(limit === "expansion" ? { limit: maxExpandedLength } : {}),
  };
  return tooLarge(`${place}: ${shortened(message, 300)}.`, details);
}
