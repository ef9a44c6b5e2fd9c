import { kinds, type Kind } from "@bowline/api";
import { BowlineError } from "@bowline/core";

import { resourceName } from "../resources/resource.ts";

/** Where a manifest was read. */
export interface Origin {
  /** The file as it was named, or `standard input`. */
  readonly source: string;
  /** The number of the document in the file, from 1. */
  readonly document: number;
  /** Whether the file has others. */
  readonly isOnly: boolean;
}

/** An object as somebody wrote it down. */
export interface Manifest {
  readonly kind: Kind;
  readonly name: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly origin: Origin;
  /** The line of a field, by its path as in `spec.clusters[0]`, or of what is nearest above it. */
  readonly lineOf: (path: string) => number;
}

/** `web.yaml, document 2, line 14`, for what is wrong with that line. */
export function placeOf(origin: Origin, line?: number): string {
  const document = origin.isOnly ? "" : `, document ${origin.document}`;
  return `${origin.source}${document}${line === undefined ? "" : `, line ${line}`}`;
}

/** The server's refusal of an object, with the place where that was written: `web.yaml, line 7: …`. */
export function atManifest(manifest: Manifest, thrown: unknown): BowlineError {
  const error = BowlineError.from(thrown);
  const fields = fieldsOf(error);
  const { origin, lineOf } = manifest;
  const [first] = fields;
  const message = `${placeOf(origin, lineOf(first?.path ?? ""))}: ${resourceName(manifest)}: ${error.message}`;
  const located = fields.map(({ path, message: problem }) => ({
    path: `line ${lineOf(path)}${path === "" ? "" : `, ${path}`}`,
    message: problem,
  }));
  return new BowlineError(error.code, message, {
    cause: error,
    details: { ...error.details, ...(located.length === 0 ? {} : { fields: located }) },
  });
}

interface WrongField {
  readonly path: string;
  readonly message: string;
}

function fieldsOf({ details }: BowlineError): WrongField[] {
  const fields = details?.["fields"];
  return Array.isArray(fields) ? fields.filter(isWrongField) : [];
}

function isWrongField(value: unknown): value is WrongField {
  return (
    typeof value === "object" &&
    value !== null &&
    "path" in value &&
    typeof value.path === "string" &&
    "message" in value &&
    typeof value.message === "string"
  );
}

/** Objects that others refer to before those others; what does not matter stays in the order given. */
export function inApplyOrder<Item extends { readonly kind: Kind }>(items: readonly Item[]): Item[] {
  return items.toSorted((a, b) => rankOf(a.kind) - rankOf(b.kind));
}

/** The other way round: what refers to others goes before them. */
export function inDeleteOrder<Item extends { readonly kind: Kind }>(items: readonly Item[]): Item[] {
  return items.toSorted((a, b) => rankOf(b.kind) - rankOf(a.kind));
}

/** How many references one can follow from an object of this kind; a kind that leads back to itself ends the way. */
function rankOf(kind: Kind, among: readonly Kind[] = kinds, seen: readonly Kind[] = []): number {
  if (seen.includes(kind)) return 0;
  const targets = among.filter((target) =>
    kind.references.some((reference) => reference.kind === target.kind),
  );
  return Math.max(0, ...targets.map((target) => 1 + rankOf(target, among, [...seen, kind])));
}
