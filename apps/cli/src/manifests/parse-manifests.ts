import { apiVersion, checkDepth, closest, kinds, dnsLabel, type Kind } from "@bowline/api";
import { BowlineError } from "@bowline/core";
import { LineCounter, parseAllDocuments, type Document } from "yaml";

import { printableLine } from "../output/printable.ts";
import { isObjectName } from "../resources/resource.ts";
import { lineOfPath } from "./field-lines.ts";
import { placeOf, type Manifest, type Origin } from "./manifest.ts";
import type { ManifestSource } from "./read-sources.ts";

/** Aliases are for a repeated block or two; more of them make a small file huge. */
const maxAliases = 100;

/** The objects in a file of YAML or JSON. Throws `Invalid`, which names the place, for the first thing that is wrong. */
export function parseManifests({ source, text }: ManifestSource): Manifest[] {
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, { lineCounter: lines, prettyErrors: false, stringKeys: true });
  if (!Array.isArray(documents)) return [];
  return documents.flatMap((document, index) => {
    const origin = { source, document: index + 1, isOnly: documents.length === 1 };
    return parseDocument(document, origin, lines);
  });
}

function parseDocument(document: Document.Parsed, origin: Origin, lines: LineCounter): Manifest[] {
  const [error] = document.errors;
  if (error !== undefined) {
    throw invalid(origin, lines.linePos(error.pos[0]).line, `this is not YAML: ${error.message}`);
  }
  const root = document.contents;
  const value = valueOf(document, origin);
  if (root === null || value === null) return [];
  return objectsIn(value, "").map(({ body, path }) => {
    const lineOf = (field: string): number => lineOfPath(root, joined(path, field), lines);
    return manifestOf(body, { origin, lineOf });
  });
}

function valueOf(document: Document.Parsed, origin: Origin): unknown {
  try {
    const value: unknown = document.toJS({ maxAliasCount: maxAliases });
    const items = listItems(value) ?? [value];
    const problem = items.map((item) => checkDepth(item)).find((found) => found !== undefined);
    if (problem === undefined) return value;
    throw invalid(origin, undefined, `an object ${problem.message}`);
  } catch (thrown) {
    if (thrown instanceof BowlineError) throw thrown;
    throw invalid(origin, undefined, "it refers to its anchors more often than any manifest needs");
  }
}

interface FoundObject {
  readonly body: unknown;
  /** Where in the document. */
  readonly path: string;
}

/** The value itself, or, of a list, its items. */
function objectsIn(value: unknown, path: string): FoundObject[] {
  const items = listItems(value);
  if (items === undefined) return [{ body: value, path }];
  return items.map((body, index) => ({ body, path: `items[${index}]` }));
}

function listItems(value: unknown): readonly unknown[] | undefined {
  if (!isObject(value) || typeof value["kind"] !== "string" || !value["kind"].endsWith("List"))
    return undefined;
  return Array.isArray(value["items"]) ? value["items"] : undefined;
}

function joined(path: string, field: string): string {
  if (path === "" || field === "") return path + field;
  return field.startsWith("[") ? path + field : `${path}.${field}`;
}

function manifestOf(body: unknown, at: Pick<Manifest, "origin" | "lineOf">): Manifest {
  const refuse = (field: string, message: string): BowlineError =>
    invalid(at.origin, at.lineOf(field), `${field}${field === "" ? "" : " "}${message}`);
  if (!isObject(body)) throw refuse("", "there is no object here, with a kind, metadata and a spec");
  const kind = kindOf(body, refuse);
  const metadata = body["metadata"];
  const name = isObject(metadata) ? metadata["name"] : undefined;
  if (name === undefined) throw refuse("metadata.name", "is missing");
  if (typeof name !== "string") throw refuse("metadata.name", "must be a string; put it in quotes");
  if (!isObjectName(name)) throw refuse("metadata.name", `must be ${dnsLabel.expects}`);
  return { kind, name, body, ...at };
}

type Refuse = (field: string, message: string) => BowlineError;

function kindOf(body: Readonly<Record<string, unknown>>, refuse: Refuse): Kind {
  const { apiVersion: version, kind: name } = body;
  if (version !== undefined && version !== apiVersion) {
    const hint =
      "; manifests of Kubernetes go into spec.source.inline.manifests of a WorkloadDefinition, or into git";
    throw refuse("apiVersion", `must be ${apiVersion}${typeof version === "string" ? hint : ""}`);
  }
  if (typeof name !== "string") throw refuse("kind", name === undefined ? "is missing" : "must be a string");
  const kind = kinds.find((candidate) => candidate.kind === name);
  if (kind !== undefined) return kind;
  const names = kinds.map((candidate) => candidate.kind);
  const meant = closest(name, names);
  const hint = meant === undefined ? `the kinds are ${names.join(", ")}` : `did you mean «${meant}»?`;
  throw refuse("kind", `is «${printableLine(name.slice(0, 64))}», which there is none of; ${hint}`);
}

function invalid(origin: Origin, line: number | undefined, message: string): BowlineError {
  const end = message.endsWith("?") || message.endsWith(".") ? "" : ".";
  return new BowlineError("Invalid", `${placeOf(origin, line)}: ${message}${end}`);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
