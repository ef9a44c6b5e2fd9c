import type { SimEvent, SimObject } from "./sim-api.ts";

const noNamespace = "";

interface Snapshot {
  readonly revision: number;
  readonly namespace: string | undefined;
  readonly objects: SimObject[];
}

/**
 * The objects of one resource, with enough of their past to resume a watch or to continue a paged list. Objects come
 * out in the order etcd keeps them: by namespace and name, as bytes.
 */
export class ResourceTable {
  readonly #namespaces = new Map<string, NamespaceShelf>();
  readonly #historyLimit: number;
  #history: SimEvent[] = [];
  #compactedRevision = 0;
  #sortedNamespaces: string[] | undefined;
  #size = 0;
  /** Pages of one list ask for the same past again and again; the past does not change. */
  #lastSnapshot: Snapshot | undefined;

  constructor(historyLimit: number, revision: number) {
    this.#historyLimit = historyLimit;
    this.#compactedRevision = revision;
  }

  get size(): number {
    return this.#size;
  }

  /** Changes up to this revision are forgotten. */
  get compactedRevision(): number {
    return this.#compactedRevision;
  }

  get(namespace: string | undefined, name: string): SimObject | undefined {
    return this.#namespaces.get(namespace ?? noNamespace)?.objects.get(name);
  }

  /** All objects, or those of one namespace, in order; a snapshot that later writes do not change. */
  list(namespace?: string): SimObject[] {
    if (namespace !== undefined) return this.#namespaces.get(namespace)?.inOrder() ?? [];
    this.#sortedNamespaces ??= [...this.#namespaces.keys()].sort((a, b) => compareBytes(`${a}/`, `${b}/`));
    return this.#sortedNamespaces.flatMap((each) => this.#namespaces.get(each)?.inOrder() ?? []);
  }

  /** The list as it was at an earlier revision. The caller has checked that the revision is not compacted. */
  listAt(revision: number, namespace?: string): SimObject[] {
    const firstLater = this.#indexAfter(revision);
    if (firstLater === this.#history.length) return this.list(namespace);
    const known = this.#lastSnapshot;
    if (known?.revision === revision && known.namespace === namespace) return known.objects;
    const objects = this.#rebuild(firstLater, namespace);
    this.#lastSnapshot = { revision, namespace, objects };
    return objects;
  }

  /** Takes back every remembered change from an index on. */
  #rebuild(firstLater: number, namespace: string | undefined): SimObject[] {
    const past = new Map(this.list(namespace).map((object) => [orderKey(object), object]));
    for (let index = this.#history.length - 1; index >= firstLater; index -= 1) {
      const event = this.#history[index];
      if (!event || (namespace !== undefined && event.object.metadata.namespace !== namespace)) continue;
      if (event.type === "ADDED") past.delete(orderKey(event.object));
      else if (event.previous) past.set(orderKey(event.object), event.previous);
    }
    return [...past].sort(([a], [b]) => compareBytes(a, b)).map(([, object]) => object);
  }

  /** Stores what the event brought about and remembers the event. */
  record(event: SimEvent): void {
    const { metadata } = event.object;
    const namespace = metadata.namespace ?? noNamespace;
    let shelf = this.#namespaces.get(namespace);
    if (!shelf) {
      shelf = new NamespaceShelf();
      this.#namespaces.set(namespace, shelf);
      this.#sortedNamespaces = undefined;
    }
    this.#size -= shelf.objects.size;
    if (event.type === "DELETED") shelf.remove(metadata.name);
    else shelf.put(metadata.name, event.object);
    this.#size += shelf.objects.size;
    if (shelf.objects.size === 0) {
      this.#namespaces.delete(namespace);
      this.#sortedNamespaces = undefined;
    }
    this.#remember(event);
  }

  /** Changes after a revision, oldest first. */
  eventsSince(revision: number): SimEvent[] {
    return this.#history.slice(this.#indexAfter(revision));
  }

  /** Forgets every change up to a revision. */
  compact(revision: number): void {
    this.#history = this.eventsSince(revision);
    this.#compactedRevision = Math.max(this.#compactedRevision, revision);
  }

  #remember(event: SimEvent): void {
    this.#history.push(event);
    // Dropping a quarter at a time keeps the cost of moving the rest small.
    if (this.#history.length < this.#historyLimit * 1.25) return;
    const dropped = this.#history.splice(0, this.#history.length - this.#historyLimit);
    this.#compactedRevision = dropped.at(-1)?.revision ?? this.#compactedRevision;
  }

  /** Index of the first remembered change after a revision. */
  #indexAfter(revision: number): number {
    let low = 0;
    let high = this.#history.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#history[middle]?.revision ?? 0) <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** The objects of one namespace; sorted only when somebody asks, because most writes come in bulk. */
class NamespaceShelf {
  readonly objects = new Map<string, SimObject>();
  #names: string[] | undefined;

  put(name: string, object: SimObject): void {
    const size = this.objects.size;
    this.objects.set(name, object);
    if (this.objects.size !== size) this.#names = undefined;
  }

  remove(name: string): void {
    if (this.objects.delete(name)) this.#names = undefined;
  }

  inOrder(): SimObject[] {
    this.#names ??= [...this.objects.keys()].sort(compareBytes);
    return this.#names.flatMap((name) => this.objects.get(name) ?? []);
  }
}

/** Where an object stands in its table: `namespace/name`, or the name alone at cluster scope. */
export function orderKey(object: SimObject): string {
  const { namespace, name } = object.metadata;
  return namespace === undefined ? name : `${namespace}/${name}`;
}

/** Names are ASCII, so comparing UTF-16 units compares bytes. */
function compareBytes(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
