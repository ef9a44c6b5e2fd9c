import { judge, type NamespaceLabels, type Reference, type Search } from "@bowline/monitoring";
import { keyOf, objectKey, type EventHandler, type ObjectLike } from "@bowline/runtime";

import { metricsInstances, monitorResources } from "../objects/kinds.ts";
import type { CachedMetadata, SelectedObject } from "./cached-object.ts";

/** Everything that a configuration depends on: searches and references, whether they found something or not. */
interface Dependencies {
  readonly searches: readonly Search[];
  readonly references: readonly Pick<Reference, "kind" | "namespace" | "name">[];
}

export interface CachedNamespace extends ObjectLike {
  readonly metadata: ObjectLike["metadata"] & { readonly name: string };
}

/** The objects that each agent wants to hear of, one handler per kind. */
export class AgentInterests {
  readonly selected: ReadonlyMap<string, EnqueueForSelector<SelectedObject>>;
  readonly namespaces = new EnqueueForSelector<CachedNamespace>();
  readonly secrets = new EnqueueForSelector<CachedMetadata>();
  readonly configMaps = new EnqueueForSelector<CachedMetadata>();
  readonly #namespaceLabels: () => NamespaceLabels;
  readonly #stated = new Map<string, Dependencies>();

  /** `namespaceLabels` gives those of now. */
  constructor(namespaceLabels: () => NamespaceLabels) {
    this.#namespaceLabels = namespaceLabels;
    this.selected = new Map(
      [metricsInstances, ...monitorResources].map(({ kind }) => [kind, new EnqueueForSelector()]),
    );
  }

  /** Replaces all that was given for the agent before. Call it in the same turn in which the caches were read. */
  replace(agent: string, stated: Dependencies): void {
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

  /** The last that were given for the agent. */
  dependenciesOf(agent: string): Dependencies | undefined {
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
  references: Dependencies["references"],
  kind: Dependencies["references"][number]["kind"],
): (object: CachedMetadata) => boolean {
  const keys = new Set(references.filter((each) => each.kind === kind).map(objectKey));
  return (object) => keys.has(keyOf(object));
}

/** Whether an object matters to somebody. */
type Interest<T> = (object: T) => boolean;

/**
 * A handler for one kind of secondary objects, whose reconciler says which of them matter to which primary object. The
 * source asks about an object before and after a change, so one that leaves a selector wakes its owner as well.
 */
class EnqueueForSelector<T> {
  readonly #interests = new Map<string, Interest<T>>();

  readonly handler: EventHandler<T> = (object) => this.#interestedIn(object);

  /** Replaces the predicate of the owner at once: at no time does nobody listen for it. */
  replace(owner: string, interest: Interest<T>): void {
    this.#interests.set(owner, interest);
  }

  forget(owner: string): void {
    this.#interests.delete(owner);
  }

  *#interestedIn(object: T): Iterable<string> {
    for (const [owner, isInteresting] of this.#interests) if (isInteresting(object)) yield owner;
  }
}
