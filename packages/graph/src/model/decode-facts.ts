import { asRecord, isRecord, type LabelSelectorObject } from "@bowline/core";

import { factLimits } from "./limits.ts";
import type { NodeRef } from "./node.ts";
import {
  edgeTypes,
  type EdgeEnd,
  type EdgeFacts,
  type EdgeType,
  type ObjectFacts,
  type PartFacts,
  type PolicyRule,
  type Properties,
  type PropertyValue,
  type SelectionFacts,
} from "./object-facts.ts";
import { isKeyPart, isName, listOf, wordsOf } from "./read-fields.ts";
import { selectorOf } from "./selector.ts";

/** Whose facts they are; the text does not say. */
export interface FactsOwner {
  readonly node: NodeRef;
  readonly uid: string;
}

/** Characters of the longest text that is read at all: what an object may say, with room for its brackets. */
const longestText = factLimits.characters * 2;

/**
 * Reads what `encodeFacts` wrote, here or in an agent of another version, or somebody who is none. Undefined for what
 * are no facts; of facts, what cannot be understood is left out and counted.
 */
export function decodeFacts(encoded: string, owner: FactsOwner): ObjectFacts | undefined {
  if (encoded.length > longestText) return undefined;
  const value = parsed(encoded);
  return isRecord(value) ? new FactsReader(owner).read(value) : undefined;
}

function parsed(encoded: string): unknown {
  try {
    return JSON.parse(encoded);
  } catch {
    // Somebody wrote something else: that is all there is to know about it.
    return undefined;
  }
}

type Encoded = Readonly<Record<string, unknown>>;

class FactsReader {
  readonly #owner: FactsOwner;
  readonly #cut = new Map<string, number>();
  #parts = 0;

  constructor(owner: FactsOwner) {
    this.#owner = owner;
  }

  read(value: Encoded): ObjectFacts {
    const { rules, aggregates } = value;
    for (const [what, count] of Object.entries(asRecord(value["cut"])).slice(0, 100)) {
      if (isProperty(what) && Number.isSafeInteger(count) && Number(count) > 0)
        this.#miss(what, Number(count));
    }
    const properties = propertiesOf(value["properties"]) ?? {};
    const parts = this.#all("parts", value["parts"], factLimits.parts, (item) => this.#part(item));
    this.#parts = parts.length;
    const edges = this.#all("edges", value["edges"], factLimits.edges, (item) => this.#edge(item));
    const selections = this.#all("selections", value["selections"], factLimits.listItems, (item) =>
      this.#selection(item),
    );
    const rulesRead = this.#all("rules", rules, factLimits.rules, ruleOf);
    const aggregatesRead = this.#all("aggregates", aggregates, factLimits.listItems, selectorOf);
    return {
      ...this.#owner,
      properties,
      parts,
      edges,
      selections,
      ...(rules === undefined ? {} : { rules: rulesRead }),
      ...(aggregates === undefined ? {} : { aggregates: aggregatesRead }),
      ...(this.#cut.size === 0 ? {} : { cut: Object.fromEntries(this.#cut) }),
    };
  }

  #all<T>(what: string, list: unknown, limit: number, read: (item: unknown) => T | undefined): T[] {
    const kept: T[] = [];
    const items = listOf(list);
    for (const item of items.slice(0, limit)) {
      const value = read(item);
      if (value !== undefined) kept.push(value);
    }
    if (kept.length < items.length) this.#miss(what, items.length - kept.length);
    return kept;
  }

  #miss(what: string, count: number): void {
    this.#cut.set(what, (this.#cut.get(what) ?? 0) + count);
  }

  /** A part that cannot be read keeps its place, or edges would be those of another. */
  #part(value: unknown): PartFacts {
    const part = listOf(value);
    const kind = part[0];
    const name = part[1];
    const { namespace, name: ownName } = this.#owner.node;
    const isReadable = isKeyPart(kind) && isName(name);
    // Joined, because a text that is put together by an operator is kept as its pieces, which take twice as much.
    const wholeName = [ownName, isReadable ? name : ""].join("/");
    return {
      node: { kind: isReadable ? kind : "Unknown", namespace, name: wholeName },
      properties: propertiesOf(part[2]) ?? {},
    };
  }

  #edge(value: unknown): EdgeFacts | undefined {
    // By index: there are twenty of them in a pod, and taking a list apart costs as much as all else.
    const item = listOf(value);
    const type = item[0];
    const at = item[3];
    const from = this.#end(item[1]);
    const to = this.#end(item[2]);
    if (!isEdgeType(type) || from === undefined || to === undefined || !isName(at)) return undefined;
    const properties = propertiesOf(item[4]);
    return properties === undefined ? { type, from, to, at } : { type, from, to, at, properties };
  }

  #end(value: unknown): EdgeEnd | undefined {
    if (typeof value === "number")
      return Number.isInteger(value) && value >= 0 && value <= this.#parts ? value : undefined;
    const item = listOf(value);
    const kind = item[0];
    const name = item[1];
    const namespace = item[2] === undefined ? this.#owner.node.namespace : item[2];
    if (!isKeyPart(kind) || !isName(name) || !isNamespace(namespace)) return undefined;
    return { kind, namespace, name };
  }

  #selection(value: unknown): SelectionFacts | undefined {
    const [type, target, matching, at] = listOf(value);
    const [kind, namespace = this.#owner.node.namespace] = listOf(target);
    const selector: LabelSelectorObject | undefined = selectorOf(matching);
    if (!isEdgeType(type) || !isKeyPart(kind) || !isNamespace(namespace)) return undefined;
    if (selector === undefined || !isName(at)) return undefined;
    return { type, kind, namespace, selector, at };
  }
}

const knownTypes: ReadonlySet<unknown> = new Set(edgeTypes);

function isEdgeType(value: unknown): value is EdgeType {
  return knownTypes.has(value);
}

function isNamespace(value: unknown): value is string {
  return value === "" || isKeyPart(value);
}

/** Undefined where the rule cannot be told as it is: one of fewer names would be a rule about others. */
function ruleOf(value: unknown): PolicyRule | undefined {
  const [verbs, apiGroups, resources, resourceNames, nonResourceURLs] = listOf(value).map(wordsOf);
  if (!verbs || !apiGroups || !resources || !resourceNames || !nonResourceURLs) return undefined;
  return { verbs, apiGroups, resources, resourceNames, nonResourceURLs };
}

/** What cannot be read is left out. Where nothing is, which is nearly always, there is no need for a copy. */
function propertiesOf(value: unknown): Properties | undefined {
  if (!isRecord(value)) return undefined;
  if (isProperties(value)) return value;
  const entries = Object.entries(value).slice(0, factLimits.listItems);
  return Object.fromEntries(
    entries.flatMap(([name, item]) => {
      const read = isProperty(name) ? propertyOf(item) : undefined;
      return read === undefined ? [] : [[name, read] as const];
    }),
  );
}

function isProperties(value: Readonly<Record<string, unknown>>): value is Properties {
  const names = Object.keys(value);
  return (
    names.length <= factLimits.listItems && names.every((name) => isProperty(name) && isWhole(value[name]))
  );
}

function isWhole(value: unknown): value is PropertyValue {
  if (typeof value === "string") return isText(value);
  if (typeof value === "boolean") return true;
  if (typeof value === "number") return Number.isFinite(value);
  if (Array.isArray(value)) return value.length <= factLimits.listItems && value.every(isText);
  if (!isRecord(value)) return false;
  const names = Object.keys(value);
  return (
    names.length <= factLimits.listItems && names.every((name) => isProperty(name) && isText(value[name]))
  );
}

/** Assigning the one that is refused would change what an object is. */
function isProperty(name: string): boolean {
  return name !== "__proto__" && isName(name);
}

function propertyOf(value: unknown): PropertyValue | undefined {
  if (typeof value === "boolean") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  if (typeof value === "string") return isText(value) ? value : undefined;
  if (Array.isArray(value)) return value.slice(0, factLimits.listItems).filter(isText);
  if (!isRecord(value)) return undefined;
  const entries = Object.entries(value).slice(0, factLimits.listItems);
  return Object.fromEntries(entries.filter(isTextEntry));
}

function isText(value: unknown): value is string {
  return value === "" || isName(value);
}

function isTextEntry(entry: [string, unknown]): entry is [string, string] {
  return isProperty(entry[0]) && isText(entry[1]);
}
