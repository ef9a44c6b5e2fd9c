import type { ClusterStore } from "./cluster-store.ts";
import { readRecords, readString } from "./json-value.ts";
import type { SimEvent, SimObject } from "./sim-api.ts";
import { claimFinalizer, volumeFinalizer } from "./kinds/storage.ts";
import { WorkQueue } from "./work-queue.ts";

/** Lets claims and volumes go once nothing uses them: claims when no pod mounts them, volumes when they are not bound. */
export class StorageProtection {
  readonly #store: ClusterStore;
  readonly #claims = new WorkQueue((key) => this.#releaseClaim(key));
  readonly #volumes = new WorkQueue((name) => this.#releaseVolume(name));
  readonly #unsubscribe: (() => void)[];

  constructor(store: ClusterStore) {
    this.#store = store;
    this.#unsubscribe = [
      store.subscribe("persistentvolumeclaims", ({ type, object }) => {
        if (type !== "DELETED" && isLeaving(object)) this.#claims.add(keyOf(object));
      }),
      store.subscribe("persistentvolumes", ({ type, object }) => {
        if (type !== "DELETED" && isLeaving(object)) this.#volumes.add(object.metadata.name);
      }),
      store.subscribe("pods", (event) => this.#observePod(event)),
    ];
  }

  stop(): void {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    this.#claims.stop();
    this.#volumes.stop();
  }

  #observePod({ type, object }: SimEvent): void {
    if (type !== "DELETED" && !hasEnded(object)) return;
    for (const claim of claimsOf(object)) this.#claims.add(`${object.metadata.namespace ?? ""}/${claim}`);
  }

  #releaseClaim(key: string): void {
    const [namespace = "", name = ""] = key.split("/");
    const claim = this.#store.get("persistentvolumeclaims", namespace, name);
    if (!claim || !isLeaving(claim)) return;
    const isUsed = this.#store
      .list("pods", namespace)
      .some((pod) => !hasEnded(pod) && claimsOf(pod).includes(name));
    if (!isUsed) this.#drop("persistentvolumeclaims", claim, claimFinalizer);
  }

  #releaseVolume(name: string): void {
    const volume = this.#store.get("persistentvolumes", undefined, name);
    if (!volume || !isLeaving(volume) || readString(volume, "status.phase") === "Bound") return;
    this.#drop("persistentvolumes", volume, volumeFinalizer);
  }

  #drop(resource: string, object: SimObject, finalizer: string): void {
    const { finalizers = [], ...metadata } = object.metadata;
    if (!finalizers.includes(finalizer)) return;
    const left = finalizers.filter((each) => each !== finalizer);
    this.#store.update(resource, {
      ...object,
      metadata: left.length > 0 ? { ...metadata, finalizers: left } : metadata,
    });
  }
}

function isLeaving(object: SimObject): boolean {
  return object.metadata.deletionTimestamp !== undefined;
}

function hasEnded(pod: SimObject): boolean {
  const phase = readString(pod, "status.phase");
  return phase === "Succeeded" || phase === "Failed";
}

function claimsOf(pod: SimObject): string[] {
  return readRecords(pod, "spec.volumes").flatMap(
    (volume) => readString(volume, "persistentVolumeClaim.claimName") ?? [],
  );
}

function keyOf(object: SimObject): string {
  return `${object.metadata.namespace ?? ""}/${object.metadata.name}`;
}
