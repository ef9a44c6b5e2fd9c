import { setImmediate as nextTurn } from "node:timers/promises";

import { apiVersion, configKinds, kinds, validateWrite, type DesiredObjectOf, type Kind } from "@bowline/api";
import { asRecord } from "@bowline/core";
import { objectLabel } from "@bowline/manifests";
import type { FileDocument } from "@bowline/render";

import type { ConfigProblem } from "./config-problem.ts";

/** Where an object is in the repository. */
type Place = Pick<FileDocument, "file" | "document" | "line">;

/** An object as a file wants it. */
export interface ConfigObject {
  readonly kind: Kind;
  readonly desired: DesiredObjectOf<Kind>;
  readonly place: Place;
  /** The line of a field, or of the nearest around it that the file has. */
  readonly lineOf: (path: string | undefined) => number;
}

interface ConfigObjects {
  /** In the order in which they are to be written: what others name comes first. */
  readonly objects: readonly ConfigObject[];
  readonly problems: readonly ConfigProblem[];
}

/** Checks documents as the API checks bodies, and finds everything that is wrong. */
export async function readConfigObjects(
  documents: readonly FileDocument[],
  allowed: readonly string[],
): Promise<ConfigObjects> {
  const found = new Map<string, ConfigObject>();
  const problems: ConfigProblem[] = [];
  for (const document of documents) {
    // Manifests in a definition take their time: whatever waits has its turn before each.
    await nextTurn();
    const read = readOne(document, allowed);
    problems.push(...read.problems);
    if (read.object === undefined) continue;
    const other = found.get(keyOf(read.object));
    if (other === undefined) found.set(keyOf(read.object), read.object);
    else
      problems.push(
        invalid(document, { message: `the same object is in ${placeText(other.place)} already` }),
      );
  }
  return { objects: [...found.values()].toSorted(inKindOrder), problems };
}

export function keyOf({ kind, desired }: Pick<ConfigObject, "kind" | "desired">): string {
  return `${kind.kind}/${desired.metadata.name}`;
}

/** What others name comes first. */
export function inKindOrder(one: { readonly kind: Kind }, other: { readonly kind: Kind }): number {
  return kindPlace(one.kind) - kindPlace(other.kind);
}

function kindPlace({ kind }: Kind): number {
  return configKinds.findIndex((each) => each === kind);
}

interface ReadOne {
  readonly object?: ConfigObject;
  readonly problems: readonly ConfigProblem[];
}

function readOne(document: FileDocument, allowed: readonly string[]): ReadOne {
  const { kind: kindName, apiVersion: version } = asRecord(document.value);
  const message = kindProblem(kindName, version, allowed);
  const kind = kinds.find((each) => each.kind === kindName);
  if (message !== undefined || kind === undefined) {
    return { problems: [invalid(document, { message: message ?? "this is no object of Bowline" })] };
  }
  const checked = validateWrite(kind, document.value, { creating: true });
  if (!checked.ok) return { problems: checked.problems.map((problem) => invalid(document, problem)) };
  const lineOf = (path: string | undefined): number => fieldLine(document, path);
  return { object: { kind, desired: checked.object, place: placeOf(document), lineOf }, problems: [] };
}

function kindProblem(kind: unknown, version: unknown, allowed: readonly string[]): string | undefined {
  if (typeof kind !== "string" || version !== apiVersion) {
    return `this is not an object with apiVersion ${apiVersion}, a kind and metadata`;
  }
  if (allowed.includes(kind)) return undefined;
  const taken = allowed.join(", ");
  return configKinds.some((each) => each === kind)
    ? `this source takes ${taken} only; add ${kind} to its spec.kinds`
    : `this is not taken from git; a source takes ${taken}`;
}

function invalid(
  document: FileDocument,
  { path, message }: { readonly path?: string; readonly message: string },
): ConfigProblem {
  const object = objectLabel(document.value);
  return {
    reason: "InvalidObjects",
    ...placeOf(document),
    line: fieldLine(document, path),
    ...(object === "" ? {} : { object }),
    ...(path === undefined ? {} : { path }),
    message,
  };
}

function placeOf({ file, document, line }: FileDocument): Place {
  return { file, document, line };
}

/** A field that is missing has no line of its own: what it should be in has. */
function fieldLine({ fields, line }: FileDocument, path = ""): number {
  let at = path;
  while (fields[at] === undefined && at !== "") {
    const around = at.replace(/(?:^|\.)[^.[\]]*$|\[[^[\]]*\]$/u, "");
    // A key with brackets in it.
    at = around === at ? "" : around;
  }
  return fields[at] ?? line;
}

function placeText({ file, line }: Place): string {
  return `${file}, line ${line},`;
}
