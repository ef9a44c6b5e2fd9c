import { checkDepth } from "@bowline/api";
import { BowlineError, isRecord } from "@bowline/core";
import { Composer, isMap, isScalar, isSeq, LineCounter, Parser, type Document, type Node } from "yaml";

import { placeOf, type Origin } from "./manifest.ts";
import type { ManifestSource } from "./read-sources.ts";

/** Aliases are for a repeated block or two; more of them make a small file huge. */
const maxAliases = 100;

/** Something that should be an object, and where it was read. */
export interface ParsedObject {
  readonly body: unknown;
  readonly origin: Origin;
  /** The line of a field, by its path as in `spec.clusters[0]`, or of what is nearest above it. */
  readonly lineOf: (path: string) => number;
}

/**
 * The objects in a file of YAML or JSON: its documents, and of a list its items. One document is read at a time, because
 * the tree of a document takes far more memory than what is in it. Throws `Invalid`, which names the place, for what
 * cannot be read.
 */
export function* parseDocuments({ source, text }: ManifestSource): Generator<ParsedObject> {
  const lines = new LineCounter();
  const composer = new Composer({ prettyErrors: false, stringKeys: true });
  const documents = composer.compose(new Parser(lines.addNewLine).parse(text));
  let next = documents.next();
  for (let number = 1; next.done !== true; number++) {
    const document = next.value;
    next = documents.next();
    const origin = { source, document: number, isOnly: number === 1 && next.done === true };
    yield* parseDocument(document, origin, lines);
  }
}

/**
 * The objects in a text of JSON, which kubectl prints for whole clusters and which Node reads many times faster than
 * YAML; undefined for any other text, and for one with a problem, which `parseDocuments` finds again and can place.
 */
export function parseJsonObjects({ source, text }: ManifestSource): ParsedObject[] | undefined {
  if (!text.trimStart().startsWith("{")) return undefined;
  const at = { origin: { source, document: 1, isOnly: true }, lineOf: () => 1 };
  try {
    const value: unknown = JSON.parse(text);
    const bodies = listItems(value) ?? [value];
    if (bodies.some((body) => checkDepth(body) !== undefined)) return undefined;
    return bodies.map((body) => ({ body, ...at }));
  } catch {
    return undefined;
  }
}

function parseDocument(document: Document.Parsed, origin: Origin, lines: LineCounter): ParsedObject[] {
  const [error] = document.errors;
  if (error !== undefined) {
    throw invalidAt(origin, lines.linePos(error.pos[0]).line, `this is not YAML: ${error.message}`);
  }
  const root = document.contents;
  const value = valueOf(document, origin);
  if (root === null || value === null) return [];
  return objectsIn(value).map(({ body, path }) => ({
    body,
    origin,
    lineOf: (field) => lineOfPath(root, joined(path, field), lines),
  }));
}

function valueOf(document: Document.Parsed, origin: Origin): unknown {
  try {
    const value: unknown = document.toJS({ maxAliasCount: maxAliases });
    const items = listItems(value) ?? [value];
    const problem = items.map((item) => checkDepth(item)).find((found) => found !== undefined);
    if (problem === undefined) return value;
    throw invalidAt(origin, undefined, `an object ${problem.message}`);
  } catch (thrown) {
    if (thrown instanceof BowlineError) throw thrown;
    throw invalidAt(origin, undefined, "it refers to its anchors more often than any manifest needs");
  }
}

/** The value itself, or, of a list, its items; with where each is in the document. */
function objectsIn(value: unknown): { readonly body: unknown; readonly path: string }[] {
  const items = listItems(value);
  if (items === undefined) return [{ body: value, path: "" }];
  return items.map((body, index) => ({ body, path: `items[${index}]` }));
}

/** The items of a list, as kubectl prints several objects; undefined for what is none. */
function listItems(value: unknown): readonly unknown[] | undefined {
  if (!isRecord(value) || typeof value["kind"] !== "string" || !value["kind"].endsWith("List"))
    return undefined;
  return Array.isArray(value["items"]) ? value["items"] : undefined;
}

function joined(path: string, field: string): string {
  if (path === "" || field === "") return path + field;
  return field.startsWith("[") ? path + field : `${path}.${field}`;
}

/** `web.yaml, line 3: kind is missing.` */
export function invalidAt(origin: Origin, line: number | undefined, message: string): BowlineError {
  const end = message.endsWith("?") || message.endsWith(".") ? "" : ".";
  return new BowlineError("Invalid", `${placeOf(origin, line)}: ${message}${end}`);
}

type Step = string | number;

const stepPattern = /\.?([A-Za-z_][A-Za-z0-9_-]*)|\[([0-9]+)\]|\[("(?:[^"\\]|\\.)*")\]/gy;

/** Reads a path as the server writes it into its errors: `metadata.labels["a/b"]`, `spec.clusters[0]`. */
function pathSteps(path: string): Step[] {
  const steps: Step[] = [];
  for (const [, name, index, quoted] of path.matchAll(stepPattern)) {
    if (name !== undefined) steps.push(name);
    else if (index !== undefined) steps.push(Number(index));
    else if (quoted !== undefined) steps.push(String(JSON.parse(quoted)));
  }
  return steps;
}

/** The line a path leads to, as far as it leads anywhere. */
function lineOfPath(root: Node, path: string, lines: LineCounter): number {
  let node: unknown = root;
  let offset = root.range?.[0] ?? 0;
  for (const step of pathSteps(path)) {
    const next = stepInto(node, step);
    if (next === undefined) break;
    offset = next.offset ?? offset;
    node = next.value;
  }
  return lines.linePos(offset).line;
}

function stepInto(node: unknown, step: Step): { value: unknown; offset: number | undefined } | undefined {
  if (isMap<Node, Node | null>(node)) {
    const pair = node.items.find(({ key }) => isScalar(key) && key.value === step);
    return pair && { value: pair.value, offset: pair.key.range?.[0] };
  }
  if (isSeq<Node>(node) && typeof step === "number") {
    const item = node.items[step];
    return item && { value: item, offset: item.range?.[0] };
  }
  return undefined;
}
