import type { ClusterStore } from "./cluster-store.ts";
import { foregroundFinalizer, orphanFinalizer } from "./deletion.ts";
import type { StoreChange } from "./object-store.ts";
import type { SimObject, SimOwnerReference } from "./sim-api.ts";
import { WorkQueue } from "./work-queue.ts";

/**
 * Deletes what nobody owns any more. Dependents are found by the uid of their owner:
 * - an owner that is gone: dependents without another living owner go too, in the background;
 * - an owner that waits with `foregroundDeletion`: its dependents go first, then its finalizer;
 * - an owner that waits with `orphan`: its dependents lose the reference, then it loses the finalizer.
 */
export class GarbageCollector {
  readonly #store: ClusterStore;
  readonly #dependents = new Map<string, Set<string>>();
  readonly #queue = new WorkQueue((key) => this.#examine(key));
  readonly #unsubscribe: () => void;

  constructor(store: ClusterStore) {
    this.#store = store;
    this.#unsubscribe = store.objects.subscribeAll((change) => this.#observe(change));
  }

  stop(): void {
    this.#unsubscribe();
    this.#queue.stop();
  }

  #observe({ table, event }: StoreChange): void {
    const { object, previous } = event;
    const key = referenceTo(table, object);
    if (event.type === "DELETED") {
      this.#index(key, previous, undefined);
      for (const dependent of this.#dependents.get(object.metadata.uid) ?? []) this.#queue.add(dependent);
      for (const owner of object.metadata.ownerReferences ?? []) this.#wakeOwner(object, owner);
      return;
    }
    this.#index(key, previous, object);
    const ownersChanged = object.metadata.ownerReferences !== previous?.metadata.ownerReferences;
    if ((ownersChanged && object.metadata.ownerReferences?.length) || waitsForCollector(object))
      this.#queue.add(key);
  }

  #index(key: string, before: SimObject | undefined, after: SimObject | undefined): void {
    const old = before?.metadata.ownerReferences;
    const current = after?.metadata.ownerReferences;
    if (old === current) return;
    for (const owner of old ?? []) {
      const dependents = this.#dependents.get(owner.uid);
      dependents?.delete(key);
      if (dependents?.size === 0) this.#dependents.delete(owner.uid);
    }
    for (const owner of current ?? []) {
      const dependents = this.#dependents.get(owner.uid) ?? new Set();
      this.#dependents.set(owner.uid, dependents.add(key));
    }
  }

  /** An owner in foreground deletion looks again whenever a dependent has gone. */
  #wakeOwner(dependent: SimObject, reference: SimOwnerReference): void {
    const owner = this.#find(dependent, reference);
    if (owner && waitsForCollector(owner.object)) this.#queue.add(referenceTo(owner.table, owner.object));
  }

  #examine(key: string): void {
    const { table, namespace, name } = parseReference(key);
    const type = this.#store.registry.byKey(table);
    const object = type && this.#store.objects.table(table).get(namespace, name);
    if (!object) return;
    if (waitsForCollector(object)) this.#processWaiting(table, object);
    else this.#collect(table, object);
  }

  #collect(table: string, object: SimObject): void {
    const references = object.metadata.ownerReferences ?? [];
    if (references.length === 0 || object.metadata.deletionTimestamp !== undefined) return;
    const owners = references.map((reference) => ({
      reference,
      owner: this.#find(object, reference)?.object,
    }));
    const solid = owners.filter(({ owner }) => owner && !isForeground(owner));
    const waiting = owners.filter(({ owner }) => owner && isForeground(owner));
    if (solid.length === owners.length) return;
    if (solid.length > 0) {
      this.#keepOwners(
        table,
        object,
        solid.map(({ reference }) => reference),
      );
      return;
    }
    const propagation =
      waiting.length > 0 && this.#dependents.has(object.metadata.uid) ? "Foreground" : "Background";
    this.#delete(table, object, propagation);
  }

  #processWaiting(table: string, object: SimObject): void {
    const dependents = [...(this.#dependents.get(object.metadata.uid) ?? [])];
    if (isForeground(object)) {
      for (const dependent of dependents) this.#queue.add(dependent);
      const blocked = dependents.some((dependent) => this.#blocks(dependent, object));
      if (!blocked) this.#dropFinalizer(table, object, foregroundFinalizer);
      return;
    }
    for (const dependent of dependents) {
      const place = parseReference(dependent);
      const child = this.#store.objects.table(place.table).get(place.namespace, place.name);
      const kept =
        child?.metadata.ownerReferences?.filter((owner) => owner.uid !== object.metadata.uid) ?? [];
      if (child) this.#keepOwners(place.table, child, kept);
    }
    this.#dropFinalizer(table, object, orphanFinalizer);
  }

  /** Only dependents that say so hold up their owner; the others are collected all the same. */
  #blocks(dependent: string, owner: SimObject): boolean {
    const { table, namespace, name } = parseReference(dependent);
    const references = this.#store.objects.table(table).get(namespace, name)?.metadata.ownerReferences;
    return (
      references?.some((each) => each.uid === owner.metadata.uid && each.blockOwnerDeletion === true) === true
    );
  }

  #keepOwners(table: string, object: SimObject, ownerReferences: SimOwnerReference[]): void {
    const { ownerReferences: _old, ...metadata } = object.metadata;
    this.#store.update(table, {
      ...object,
      metadata: ownerReferences.length > 0 ? { ...metadata, ownerReferences } : metadata,
    });
  }

  /** From the object as it is by now: one that is its own dependent was changed a moment ago. */
  #dropFinalizer(table: string, { metadata: { namespace, name, uid } }: SimObject, finalizer: string): void {
    const object = this.#store.objects.table(table).get(namespace, name);
    if (object?.metadata.uid !== uid) return;
    const { finalizers = [], ...metadata } = object.metadata;
    const left = finalizers.filter((each) => each !== finalizer);
    this.#store.update(table, {
      ...object,
      metadata: left.length > 0 ? { ...metadata, finalizers: left } : metadata,
    });
  }

  #delete(table: string, object: SimObject, propagation: "Foreground" | "Background"): void {
    const { namespace, name, uid } = object.metadata;
    this.#store.delete(table, namespace, name, { propagation, uid });
  }

  /** The owner as the reference means it: same uid, at cluster scope or in the dependent's own namespace. */
  #find(
    dependent: SimObject,
    reference: SimOwnerReference,
  ): { table: string; object: SimObject } | undefined {
    const type = this.#store.registry.byKind(reference.apiVersion, reference.kind);
    if (!type) return undefined;
    const namespace = type.namespaced ? dependent.metadata.namespace : undefined;
    const object = this.#store.objects.table(type.key).get(namespace, reference.name);
    return object?.metadata.uid === reference.uid ? { table: type.key, object } : undefined;
  }
}

function waitsForCollector(object: SimObject): boolean {
  return (
    object.metadata.deletionTimestamp !== undefined &&
    (isForeground(object) || object.metadata.finalizers?.includes(orphanFinalizer) === true)
  );
}

function isForeground(object: SimObject): boolean {
  return (
    object.metadata.deletionTimestamp !== undefined &&
    object.metadata.finalizers?.includes(foregroundFinalizer) === true
  );
}

function referenceTo(table: string, object: SimObject): string {
  return `${table}|${object.metadata.namespace ?? ""}|${object.metadata.name}`;
}

function parseReference(key: string): { table: string; namespace: string | undefined; name: string } {
  const [table = "", namespace = "", ...rest] = key.split("|");
  return { table, namespace: namespace === "" ? undefined : namespace, name: rest.join("|") };
}
