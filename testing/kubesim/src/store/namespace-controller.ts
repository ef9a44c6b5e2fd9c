import type { ClusterStore } from "./cluster-store.ts";
import { readStrings } from "./json-value.ts";
import { namespaceFinalizer } from "./kinds/namespace.ts";
import type { StoreChange } from "./object-store.ts";
import type { SimObject } from "./sim-api.ts";
import { WorkQueue } from "./work-queue.ts";

/** What a new namespace gets: its default ServiceAccount and the certificate authority for its pods. */
export interface NamespaceContent {
  readonly rootCertificate: string;
}

/** Fills new namespaces, empties ending ones and lets them go when nothing is left inside. */
export class NamespaceController {
  readonly #store: ClusterStore;
  readonly #content: NamespaceContent;
  readonly #ending = new Set<string>();
  readonly #queue = new WorkQueue((namespace) => this.#reconcile(namespace));
  readonly #unsubscribe: () => void;

  constructor(store: ClusterStore, content: NamespaceContent) {
    this.#store = store;
    this.#content = content;
    this.#unsubscribe = store.objects.subscribeAll((change) => this.#observe(change));
  }

  stop(): void {
    this.#unsubscribe();
    this.#queue.stop();
  }

  #observe({ table, event }: StoreChange): void {
    if (table === "namespaces") {
      const { name, deletionTimestamp } = event.object.metadata;
      if (event.type === "DELETED") this.#ending.delete(name);
      else if (deletionTimestamp !== undefined) this.#ending.add(name);
      if (event.type !== "DELETED") this.#queue.add(name);
      return;
    }
    const { namespace } = event.object.metadata;
    if (event.type !== "DELETED" || namespace === undefined) return;
    if (this.#ending.has(namespace) || table === "serviceaccounts" || table === "configmaps")
      this.#queue.add(namespace);
  }

  #reconcile(name: string): void {
    const namespace = this.#store.objects.table("namespaces").get(undefined, name);
    if (!namespace) return;
    if (namespace.metadata.deletionTimestamp === undefined) this.#fill(name);
    else if (this.#emptied(name)) this.#finalize(namespace);
  }

  #fill(namespace: string): void {
    if (!this.#store.get("serviceaccounts", namespace, "default")) {
      this.#store.create("serviceaccounts", {
        apiVersion: "v1",
        kind: "ServiceAccount",
        metadata: { name: "default", namespace },
      });
    }
    if (!this.#store.get("configmaps", namespace, "kube-root-ca.crt")) {
      this.#store.create("configmaps", {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "kube-root-ca.crt", namespace },
        data: { "ca.crt": this.#content.rootCertificate },
      });
    }
  }

  /** Deletes everything inside; true once there is nothing. */
  #emptied(namespace: string): boolean {
    let empty = true;
    for (const type of this.#store.registry.types()) {
      if (!type.namespaced || type.virtual) continue;
      for (const object of this.#store.objects.table(type.key).list(namespace)) {
        if (object.metadata.deletionTimestamp === undefined) {
          this.#store.delete(type.key, namespace, object.metadata.name, { propagation: "Background" });
        }
      }
      empty &&= this.#store.objects.table(type.key).list(namespace).length === 0;
    }
    return empty;
  }

  #finalize(namespace: SimObject): void {
    const finalizers = readStrings(namespace, "spec.finalizers").filter(
      (each) => each !== namespaceFinalizer,
    );
    const type = this.#store.type("namespaces");
    const finalized = { ...namespace, spec: finalizers.length > 0 ? { finalizers } : {} };
    this.#store.updateObject(type, finalized, { subresource: "finalize" });
  }
}
