import { apiVersionOf, tableKey, type GroupVersion, type ResourceType } from "./resource-type.ts";

/** Which kinds the server knows; built-in ones from the start, custom ones as their definitions come and go. */
export class ResourceRegistry {
  readonly #byKey = new Map<string, ResourceType>();
  readonly #byPlace = new Map<string, ResourceType>();

  #changes = 0;

  constructor(types: Iterable<ResourceType>) {
    for (const type of types) this.add(type);
  }

  /** Grows with every type that is added or removed. */
  get changes(): number {
    return this.#changes;
  }

  /** Adds a type, or replaces the one with the same key. */
  add(type: ResourceType): void {
    const earlier = this.#byKey.get(type.key);
    if (earlier) this.remove(earlier);
    this.#changes += 1;
    this.#byKey.set(type.key, type);
    for (const place of type.served) {
      this.#byPlace.set(placeKey(place, type.resource), type);
      const alias = tableKey(place.group, type.resource);
      if (!this.#byKey.has(alias)) this.#byKey.set(alias, type);
    }
  }

  remove(type: ResourceType): void {
    this.#changes += 1;
    for (const [key, known] of this.#byKey) if (known.key === type.key) this.#byKey.delete(key);
    for (const [key, known] of this.#byPlace) if (known.key === type.key) this.#byPlace.delete(key);
  }

  /** By `pods` or `deployments.apps`; kinds served in several groups answer to each. */
  byKey(key: string): ResourceType | undefined {
    return this.#byKey.get(key);
  }

  servedAt(place: GroupVersion, resource: string): ResourceType | undefined {
    return this.#byPlace.get(placeKey(place, resource));
  }

  byKind(apiVersion: string, kind: string): ResourceType | undefined {
    for (const type of this.types()) {
      if (type.kind === kind && type.served.some((place) => apiVersionOf(place) === apiVersion)) return type;
    }
    return undefined;
  }

  /** Every type once. */
  types(): ResourceType[] {
    return [...new Set(this.#byKey.values())];
  }

  /** Every group and version that serves something. */
  places(): GroupVersion[] {
    const places = new Map<string, GroupVersion>();
    for (const type of this.types()) for (const place of type.served) places.set(apiVersionOf(place), place);
    return [...places.values()];
  }

  servedIn(place: GroupVersion): ResourceType[] {
    const apiVersion = apiVersionOf(place);
    return this.types().filter((type) => type.served.some((served) => apiVersionOf(served) === apiVersion));
  }
}

function placeKey(place: GroupVersion, resource: string): string {
  return `${place.group}/${place.version}/${resource}`;
}
