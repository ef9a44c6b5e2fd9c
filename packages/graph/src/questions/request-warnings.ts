import { didYouMean, shortened } from "@bowline/core";

import { graphKinds } from "../facts/kinds.ts";
import {
  builtinResources,
  builtinSubresources,
  pathVerbs,
  pluralOf,
  resourceKey,
  resourceVerbs,
} from "../rbac/builtin-resources.ts";
import type { AccessRequest, ResourceRequest } from "../rbac/rule.ts";
import { isWithheld, refNode, type Asking } from "./asking.ts";
import { rbacOf } from "./rbac-of.ts";

const wildcard = "*";
/** Names that may have been meant, told in one sentence. */
const mostMeant = 5;
/** Longer than names of resources get. */
const nameLength = 253;

/**
 * What is odd about a request, a sentence each. A name that nobody knows is no error, since rules with wildcards allow it
 * and a cluster may have resources that nothing here tells of; but most often it is mistyped.
 */
export function requestWarnings(asking: Asking, request: AccessRequest): string[] {
  const words = new RuleWords(asking);
  const isPath = "nonResourceURL" in request;
  return [
    ...verbWarnings(request.verb, isPath ? pathVerbs : resourceVerbs, words),
    ...(isPath ? [] : resourceWarnings(asking, request, words)),
  ];
}

function verbWarnings(verb: string, known: ReadonlySet<string>, words: RuleWords): string[] {
  if (verb === wildcard || known.has(verb) || words.verbs.has(verb)) return [];
  const name = shortened(verb, nameLength);
  return [
    `${name} is no verb of Kubernetes, and no rule names it: only rules for all verbs are told${meantText(verb, known)}`,
  ];
}

function resourceWarnings(asking: Asking, request: ResourceRequest, words: RuleWords): string[] {
  const { resource, subresource } = request;
  if (resource === wildcard) return [];
  const key = resourceKey(request);
  if (!everywhere.has(key)) {
    const known = new Set([...everywhere, ...words.resources, ...observedResources(asking)]);
    if (!known.has(key)) return [unknownResource(request, known)];
  }
  if (subresource === undefined || subresource === wildcard || resource === "userextras") return [];
  if (builtinSubresources.has(subresource) || words.subresources.has(subresource)) return [];
  const name = shortened(subresource, nameLength);
  return [
    `${name} is no subresource of Kubernetes, and no rule names it: only rules for all resources are told${meantText(subresource, builtinSubresources)}`,
  ];
}

function unknownResource(request: ResourceRequest, known: ReadonlySet<string>): string {
  const { resource } = request;
  const name = shortened(resourceKey(request), nameLength);
  // The same resource of another group is what somebody means who has left the group out.
  const elsewhere = [...known].filter((each) => each === resource || each.startsWith(`${resource}.`));
  const meant =
    elsewhere.length === 0
      ? meantText(resourceKey(request), known)
      : `; did you mean ${elsewhere.toSorted().slice(0, mostMeant).join(" or ")}?`;
  return `No resource ${name} is known: Kubernetes has none, and no object and no rule that you may see is of one, so that only rules for all resources are told${meant}`;
}

/** The end of a sentence. */
function meantText(text: string, known: Iterable<string>): string {
  return text.length > nameLength ? "." : didYouMean(text, known) || ".";
}

/** Resources that Kubernetes has, and those of the kinds that are observed wherever they are. */
const everywhere: ReadonlySet<string> = new Set([
  ...builtinResources,
  ...graphKinds.map(({ group, kind }) => keyOfKind(group, kind)),
]);

/** Of custom resources that are seen: their kinds have the group in them. */
function observedResources({ graph }: Asking): string[] {
  const kinds = [...graph.entries()].flatMap(([, own]) => [...own.kinds()]);
  return kinds.flatMap((kind) => {
    const dot = kind.indexOf(".");
    return dot < 0 ? [] : [keyOfKind(kind.slice(dot + 1), kind.slice(0, dot))];
  });
}

function keyOfKind(group: string, kind: string): string {
  return resourceKey({ group, resource: pluralOf(kind.toLowerCase()) });
}

/** What the rules say word by word that the asker may see. They are read when a word is looked for. */
class RuleWords {
  readonly #asking: Asking;
  readonly #verbs = new Set<string>();
  readonly #resources = new Set<string>();
  readonly #subresources = new Set<string>();
  #isRead = false;

  constructor(asking: Asking) {
    this.#asking = asking;
  }

  get verbs(): ReadonlySet<string> {
    this.#read();
    return this.#verbs;
  }

  get resources(): ReadonlySet<string> {
    this.#read();
    return this.#resources;
  }

  get subresources(): ReadonlySet<string> {
    this.#read();
    return this.#subresources;
  }

  #read(): void {
    if (this.#isRead) return;
    this.#isRead = true;
    for (const [cluster, own] of this.#asking.graph.entries()) {
      for (const { node, rules } of rbacOf(own).roles.values()) {
        if (isWithheld(refNode(this.#asking, cluster, node))) continue;
        for (const { verbs, apiGroups, resources } of rules) {
          for (const verb of verbs) this.#verbs.add(verb);
          for (const text of resources) this.#addResource(apiGroups, text);
        }
      }
    }
  }

  #addResource(groups: readonly string[], text: string): void {
    const [resource = "", subresource] = text.split("/");
    if (subresource !== undefined) this.#subresources.add(subresource);
    if (resource === wildcard) return;
    for (const group of groups) {
      if (group !== wildcard) this.#resources.add(resourceKey({ group, resource }));
    }
  }
}
