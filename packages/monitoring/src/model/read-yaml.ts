import { isAlias, isMap, isScalar, isSeq, parseDocument, type Document, type Node } from "yaml";

import { Verbatim, type ConfigMap, type ConfigValue } from "./config-value.ts";

/** Reads a YAML document that somebody else wrote, or says what is wrong with it without quoting it. */
export function readYaml(text: string): { readonly value: ConfigValue } | { readonly problem: string } {
  const document = parseDocument(text, { prettyErrors: false, merge: true });
  const [error] = document.errors;
  if (error !== undefined) {
    const line = text.slice(0, error.pos[0]).split("\n").length;
    return { problem: `line ${line} is no valid YAML (${error.code})` };
  }
  try {
    return { value: new NodeReader(document).read(document.contents, 0) };
  } catch (thrown) {
    if (thrown instanceof RangeError) return { problem: thrown.message };
    throw thrown;
  }
}

/** Aliases multiply: a few hundred bytes can stand for gigabytes. */
const maxNodes = 200_000;
const maxDepth = 64;

class NodeReader {
  readonly #document: Document.Parsed;
  #nodes = 0;

  constructor(document: Document.Parsed) {
    this.#document = document;
  }

  read(node: unknown, depth: number): ConfigValue {
    this.#nodes += 1;
    if (depth > maxDepth) throw new RangeError(`it is nested deeper than ${maxDepth} levels`);
    if (this.#nodes > maxNodes) throw new RangeError(`it has more than ${maxNodes} values`);
    if (isAlias(node)) return this.read(node.resolve(this.#document), depth + 1);
    if (isSeq<Node>(node)) return node.items.map((item) => this.read(item, depth + 1));
    if (isMap(node)) return this.#readMap(node.items, depth);
    return isScalar(node) ? readScalar(node.value, node.source) : null;
  }

  #readMap(pairs: readonly { key: unknown; value: unknown }[], depth: number): ConfigMap {
    const map: Record<string, ConfigValue> = {};
    for (const { key, value } of pairs) {
      const name = isScalar(key) ? String(key.source ?? key.value) : "";
      const read = this.read(value, depth + 1);
      if (name === "<<") mergeInto(map, read);
      else map[name] = read;
    }
    return map;
  }
}

function mergeInto(map: Record<string, ConfigValue>, merged: ConfigValue): void {
  for (const source of Array.isArray(merged) ? merged : [merged]) {
    if (isConfigMap(source)) for (const [key, value] of Object.entries(source)) map[key] ??= value ?? null;
  }
}

export function isConfigMap(value: ConfigValue | undefined): value is ConfigMap {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Verbatim);
}

/** Text that only YAML 1.1 reads as a boolean: what reads the result is such a reader. */
const otherBoolean = /^(y|n|yes|no|on|off)$/iu;

function readScalar(value: unknown, source: string | undefined): ConfigValue {
  if (typeof value === "string")
    return value === source && otherBoolean.test(value) ? new Verbatim(value) : value;
  if (value === null || source === undefined) return null;
  return new Verbatim(source);
}
