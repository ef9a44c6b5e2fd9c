import { isRecord, type LabelSelectorObject } from "@bowline/core";

import { factLimits } from "../model/limits.ts";
import type { NodeRef } from "../model/node.ts";
import type {
  EdgeEnd,
  EdgeFacts,
  EdgeType,
  ObjectFacts,
  PartFacts,
  PolicyRule,
  Properties,
  PropertyValue,
  SelectionFacts,
} from "../model/object-facts.ts";
import { isKeyPart, isName, listOf, textOf } from "../model/read-fields.ts";

/** Properties as they are read: what the object does not have is left out. */
export type ReadProperties = Readonly<Record<string, PropertyValue | undefined>>;

/** The object itself, as an end of an edge. */
export const self = 0;

/** What an edge or part costs beside its texts: brackets, quotes, the type. */
const itemCharacters = 32;

const noRule: PolicyRule = {
  verbs: [],
  apiGroups: [],
  resources: [],
  resourceNames: [],
  nonResourceURLs: [],
};

/** Gathers what one object says, no more than an object may say; what did not fit is counted by what it was. */
export class FactsWriter {
  readonly node: NodeRef;
  readonly #uid: string;
  readonly #properties: Record<string, PropertyValue> = {};
  readonly #parts: PartFacts[] = [];
  readonly #edges: EdgeFacts[] = [];
  readonly #selections: SelectionFacts[] = [];
  #rules: PolicyRule[] | undefined;
  #aggregates: LabelSelectorObject[] | undefined;
  #cut: Record<string, number> | undefined;
  #room: number = factLimits.characters;

  constructor(node: NodeRef, uid: string) {
    this.node = node;
    this.#uid = uid;
  }

  /** Says something about the object itself. */
  describe(properties: ReadProperties): void {
    for (const [name, value] of Object.entries(properties)) {
      if (value === undefined || isEmpty(value)) continue;
      if (this.#takes(name.length + sizeOf(value))) this.#properties[name] = value;
      else this.cut(name, 1);
    }
  }

  /**
   * A node that exists only inside of the object. One too many, or without a name, has none, and the object itself
   * stands for it: what it refers to is told all the same.
   */
  part(node: NodeRef, properties: ReadProperties): EdgeEnd {
    const kept = compact(properties) ?? {};
    const size = itemCharacters + node.name.length + sizeOf(kept);
    if (this.#parts.length >= factLimits.parts || !isNode(node) || !this.#takes(size)) {
      this.cut("parts", 1);
      return self;
    }
    return this.#parts.push({ node, properties: kept });
  }

  /** `at` is the JSON pointer to the field that says so. */
  edge(type: EdgeType, ends: readonly [from: EdgeEnd, to: EdgeEnd], at: string, more?: ReadProperties): void {
    const [from, to] = ends;
    const properties = more === undefined ? undefined : compact(more);
    const size = itemCharacters + endSize(from) + endSize(to) + at.length + sizeOf(properties ?? "");
    if (this.#edges.length < factLimits.edges && isEnd(from) && isEnd(to) && this.#takes(size)) {
      this.#edges.push(
        properties === undefined ? { type, from, to, at } : { type, from, to, at, properties },
      );
    } else this.cut("edges", 1);
  }

  /** All nodes of a kind in the object's namespace that match. A selector that cannot be read selects nothing. */
  select(type: EdgeType, kind: string, selector: LabelSelectorObject | undefined, at: string): void {
    if (selector !== undefined && this.#takes(itemCharacters + selectorSize(selector))) {
      this.#selections.push({ type, kind, namespace: this.node.namespace, selector, at });
    } else this.cut("selections", 1);
  }

  /** A rule that is left out leaves its place to one that allows nothing: those after it are told by their number. */
  rules(rules: Iterable<PolicyRule | undefined>): void {
    this.#rules = [];
    let left = 0;
    for (const rule of rules) {
      const hasPlace = this.#rules.length + left < factLimits.rules;
      if (!rule || !hasPlace || !this.#takes(left * ruleSize(noRule) + ruleSize(rule))) {
        this.cut("rules", 1);
        left += 1;
        continue;
      }
      for (; left > 0; left -= 1) this.#rules.push(noRule);
      this.#rules.push(rule);
    }
  }

  aggregates(selectors: Iterable<LabelSelectorObject | undefined>): void {
    this.#aggregates = [];
    for (const selector of selectors) {
      if (selector !== undefined && this.#takes(itemCharacters + selectorSize(selector)))
        this.#aggregates.push(selector);
      else this.cut("aggregates", 1);
    }
  }

  /** The texts of a list that is to be a property; `what` names it where it is cut. */
  texts(value: unknown, what: string): string[] {
    const list = listOf(value);
    const texts = list.slice(0, factLimits.listItems).flatMap((item) => textOf(item) ?? []);
    if (texts.length < list.length) this.cut(what, list.length - texts.length);
    return texts;
  }

  cut(what: string, count: number): void {
    this.#cut ??= {};
    this.#cut[what] = (this.#cut[what] ?? 0) + count;
  }

  facts(): ObjectFacts {
    return {
      node: this.node,
      uid: this.#uid,
      properties: this.#properties,
      parts: this.#parts,
      edges: this.#edges,
      selections: this.#selections,
      ...(this.#rules === undefined ? {} : { rules: this.#rules }),
      ...(this.#aggregates === undefined ? {} : { aggregates: this.#aggregates }),
      ...(this.#cut === undefined ? {} : { cut: this.#cut }),
    };
  }

  #takes(characters: number): boolean {
    if (characters > this.#room) return false;
    this.#room -= characters;
    return true;
  }
}

function isNode({ kind, namespace, name }: NodeRef): boolean {
  return isKeyPart(kind) && (namespace === "" || isKeyPart(namespace)) && isName(name);
}

function isEnd(end: EdgeEnd): boolean {
  return typeof end === "number" || isNode(end);
}

function endSize(end: EdgeEnd): number {
  return typeof end === "number" ? 1 : end.kind.length + end.namespace.length + end.name.length;
}

function compact(properties: ReadProperties): Properties | undefined {
  let kept: Record<string, PropertyValue> | undefined;
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || isEmpty(value)) continue;
    kept ??= {};
    kept[name] = value;
  }
  return kept;
}

function isEmpty(value: PropertyValue): boolean {
  if (typeof value !== "object") return value === "";
  return Array.isArray(value) ? value.length === 0 : Object.keys(value).length === 0;
}

function sizeOf(value: PropertyValue | Properties): number {
  if (typeof value === "string") return value.length + 3;
  if (!isRecord(value)) return Array.isArray(value) ? listSize(value) : 8;
  let size = 0;
  for (const [name, item] of Object.entries(value)) size += name.length + 4 + sizeOf(item);
  return size;
}

function listSize(texts: readonly string[]): number {
  let size = 0;
  for (const text of texts) size += text.length + 3;
  return size;
}

function ruleSize(rule: PolicyRule): number {
  return Object.values(rule).reduce((size, list) => size + listSize(list), itemCharacters);
}

function selectorSize({ matchLabels = {}, matchExpressions = [] }: LabelSelectorObject): number {
  return matchExpressions.reduce(
    (size, { key, values = [] }) => size + itemCharacters + key.length + listSize(values),
    sizeOf(matchLabels),
  );
}
