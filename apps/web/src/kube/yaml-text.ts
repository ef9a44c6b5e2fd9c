import { isRecord } from "@bowline/core";
import {
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  stringify,
  type CreateNodeOptions,
  type DocumentOptions,
  type Node,
  type ParseOptions,
  type SchemaOptions,
  type ToStringOptions,
} from "yaml";

import type { Path } from "./change-patch.ts";

const firstFields = ["apiVersion", "kind", "metadata", "type", "spec"];
const lastFields = ["status"];
const firstMetadata = ["name", "namespace", "labels", "annotations"];
const lastMetadata = ["managedFields"];

/** With the fields first that say what it is, and those last that only the cluster writes. */
function inReadingOrder(object: unknown): unknown {
  if (!isRecord(object) || !isRecord(object["metadata"])) return object;
  const metadata = ordered(object["metadata"], firstMetadata, lastMetadata);
  return ordered({ ...object, metadata }, firstFields, lastFields);
}

function ordered(
  fields: Readonly<Record<string, unknown>>,
  first: readonly string[],
  last: readonly string[],
): Record<string, unknown> {
  const rank = (name: string): number =>
    first.includes(name) ? first.indexOf(name) : first.length + 1 + last.indexOf(name);
  return Object.fromEntries(Object.entries(fields).toSorted(([a], [b]) => rank(a) - rank(b)));
}

/** A key `<<` is a key as any other, and written so that others do not take it for maps to be merged. */
const isMerge = (tag: string): boolean => tag.endsWith(":merge");

const writing: DocumentOptions & SchemaOptions & CreateNodeOptions & ToStringOptions = {
  lineWidth: 0,
  aliasDuplicateObjects: false,
  version: "1.1",
  compat: "yaml-1.1",
  customTags: (tags) => tags.filter((tag) => typeof tag === "string" || !isMerge(tag.tag)),
};

/** An object as YAML, as people write it. */
export function yamlText(object: unknown): string {
  return stringify(inReadingOrder(object), writing);
}

interface YamlProblem {
  readonly from: number;
  readonly to: number;
  readonly message: string;
}

export type ReadYaml =
  | { readonly object: Readonly<Record<string, unknown>>; readonly problems: readonly [] }
  | { readonly object: undefined; readonly problems: readonly YamlProblem[] };

/** As Kubernetes reads YAML: `yes` is true. But no dates, which JSON does not have. */
const reading: ParseOptions & DocumentOptions & SchemaOptions = {
  version: "1.1",
  uniqueKeys: true,
  prettyErrors: false,
  customTags: (tags) =>
    tags.filter(
      (tag) => typeof tag === "string" || !/:(?:merge|timestamp|binary|omap|pairs|set)$/u.test(tag.tag),
    ),
};

/** Aliases can make gigabytes of a few lines; nobody needs them in one object. */
const maxAliasCount = 0;

/** What somebody has typed, as an object, or what is wrong with it and where. */
export function readYaml(text: string): ReadYaml {
  const document = parseDocument(text, reading);
  const problems = document.errors.map(({ pos: [from, to], message }) => ({ from, to, message }));
  if (problems.length > 0) return { object: undefined, problems };
  try {
    const object: unknown = document.toJS({ maxAliasCount });
    if (isRecord(object)) return { object, problems: [] };
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    return { object: undefined, problems: [{ from: 0, to: text.length, message: "Aliases are not taken." }] };
  }
  const message = "An object begins with fields such as apiVersion, kind and metadata.";
  return { object: undefined, problems: [{ from: 0, to: text.length, message }] };
}

/** Lines of a text, the first of which is 1. */
export interface LineRange {
  readonly from: number;
  readonly to: number;
}

/** The lines that the values at some paths take; of a path that is not there its nearest part, or undefined. */
export function linesOf(text: string, paths: readonly Path[]): (LineRange | undefined)[] {
  const lines = new LineCounter();
  const document = parseDocument(text, { ...reading, lineCounter: lines });
  return paths.map((path) => {
    const place = placeOf(document.contents, path);
    if (place === undefined) return undefined;
    const [from, to] = place;
    // The end of a block is the beginning of the line behind it.
    const last = lines.linePos(Math.max(from, to - 1)).line;
    return { from: lines.linePos(from).line, to: last };
  });
}

type Place = readonly [from: number, to: number];

/** Of a field with its key, and of an item in a list: where somebody looks for it. */
function placeOf(node: Node | null, path: Path): Place | undefined {
  let place: Place | undefined;
  let inner: unknown = node;
  for (const part of path) {
    if (isMap(inner)) {
      const pair = inner.items.find(({ key }) => isScalar(key) && String(key.value) === String(part));
      if (pair === undefined || !isScalar(pair.key)) return place;
      const from = pair.key.range?.[0] ?? 0;
      place = [from, isNode(pair.value) ? (pair.value.range?.[1] ?? from) : from];
      inner = pair.value;
    } else if (isSeq(inner) && typeof part === "number") {
      const item: unknown = inner.items[part];
      if (!isNode(item)) return place;
      const from = item.range?.[0] ?? 0;
      place = [from, item.range?.[1] ?? from];
      inner = item;
    } else {
      return place;
    }
  }
  return place;
}
