import { judge, type NamespaceLabels, type Reference, type Search } from "@bowline/monitoring";
import { keyOf, objectKey, type ObjectLike } from "@bowline/runtime";

import { metricsInstances, monitorResources } from "../api/resources.ts";
import type { CachedMetadata, SelectedObject } from "./cached-object.ts";
import { EnqueueForSelector } from "./enqueue-for-selector.ts";

/** What a configuration was made from: what was looked for, and what was referred to, found or not. */
export interface Stated {
  readonly searches: readonly Search[];
  readonly references: readonly Pick<Reference, "kind" | "namespace" | "name">[];
}

export interface CachedNamespace extends ObjectLike {
  readonly metadata: ObjectLike["metadata"] & { readonly name: string };
}

/** What each agent wants to hear of, one handler per kind. */
export class AgentInterests {
  readonly selected: ReadonlyMap<string, EnqueueForSelector<SelectedObject>>;
  readonly namespaces = new EnqueueForSelector<CachedNamespace>();
  readonly secrets = new EnqueueForSelector<CachedMetadata>();
  readonly configMaps = new EnqueueForSelector<CachedMetadata>();
  readonly #namespaceLabels: () => NamespaceLabels;
  readonly #stated = new Map<string, Stated>();

  /** `namespaceLabels` gives those of now. */
  constructor(namespaceLabels: () => NamespaceLabels) {
    this.#namespaceLabels = namespaceLabels;
    this.selected = new Map(
      [metricsInstances, ...monitorResources].map(({ kind }) => [kind, new EnqueueForSelector()]),
    );
  }

  /** Everything the agent said before gives way to this. Call it in the same turn in which the caches were read. */
  replace(agent: string, stated: Stated): void {
    this.#stated.set(agent, stated);
    const { searches, references } = stated;
    for (const [kind, handler] of this.selected) {
      const own = searches.filter((search) => search.kind === kind);
      handler.replace(agent, (object) => {
        const labels = this.#namespaceLabels();
        return own.some((search) => judge(search, object, labels).selected);
      });
    }
    this.namespaces.replace(agent, (namespace) => searches.some((search) => looksInto(search, namespace)));
    this.secrets.replace(agent, referredTo(references, "Secret"));
    this.configMaps.replace(agent, referredTo(references, "ConfigMap"));
  }

  /** What the agent said last. */
  statedBy(agent: string): Stated | undefined {
    return this.#stated.get(agent);
  }

  /** Whether any agent refers to it. */
  isReferredTo(kind: "Secret" | "ConfigMap", object: CachedMetadata): boolean {
    const { handler } = kind === "Secret" ? this.secrets : this.configMaps;
    return [...handler(object)].length > 0;
  }

  forget(agent: string): void {
    this.#stated.delete(agent);
    const others = [this.namespaces, this.secrets, this.configMaps];
    for (const handler of [...this.selected.values(), ...others]) handler.forget(agent);
  }
}

/** Whether a search by the labels of namespaces takes this one. */
function looksInto(search: Search, { metadata }: CachedNamespace): boolean {
  if (search.labels === undefined || search.namespaceLabels === undefined) return false;
  const { name, labels = {} } = metadata;
  const anything = { kind: search.kind, metadata: { name: "", namespace: name } };
  return judge({ ...search, labels: [] }, anything, new Map([[name, labels]])).selected;
}

function referredTo(
  references: Stated["references"],
  kind: Stated["references"][number]["kind"],
): (object: CachedMetadata) => boolean {
  const keys = new Set(references.filter((each) => each.kind === kind).map(objectKey));
  return (object) => keys.has(keyOf(object));
}
