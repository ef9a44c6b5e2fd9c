import type { Clock } from "@bowline/core";

import type { ClusterStore } from "./cluster-store.ts";
import { customType, customTypeKey } from "./custom-type.ts";
import {
  deepEqual,
  readRecord,
  readRecords,
  readString,
  readStrings,
  type JsonRecord,
} from "./json-value.ts";
import { timestamp } from "./object-meta.ts";
import type { SimEvent, SimObject } from "./sim-api.ts";
import { WorkQueue } from "./work-queue.ts";

const definitions = "customresourcedefinitions.apiextensions.k8s.io";
const cleanupFinalizer = "customresourcecleanup.apiextensions.k8s.io";

/** Serves the kinds that CustomResourceDefinitions describe, and clears up behind them. */
export class CustomResourceController {
  readonly #store: ClusterStore;
  readonly #clock: Clock;
  readonly #queue = new WorkQueue((name) => this.#reconcile(name));
  readonly #unsubscribe: () => void;

  constructor(store: ClusterStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
    this.#unsubscribe = store.subscribe(definitions, (event) => this.#observe(event));
  }

  stop(): void {
    this.#unsubscribe();
    this.#queue.stop();
  }

  #observe({ type, object }: SimEvent): void {
    if (type === "DELETED") this.#withdraw(object);
    else this.#queue.add(object.metadata.name);
  }

  #reconcile(name: string): void {
    const definition = this.#store.get(definitions, undefined, name);
    if (!definition) return;
    if (definition.metadata.deletionTimestamp !== undefined) {
      this.#finalize(definition);
      return;
    }
    const conflicts = nameConflict(this.#store, definition);
    if (conflicts === undefined) this.#store.registry.add(customType(definition));
    const prepared = this.#withFinalizer(definition);
    const status = this.#statusOf(prepared, conflicts);
    if (!deepEqual(status, prepared["status"]))
      this.#store.updateStatus(definitions, { ...prepared, status });
  }

  #withFinalizer(definition: SimObject): SimObject {
    const { finalizers = [] } = definition.metadata;
    if (finalizers.includes(cleanupFinalizer)) return definition;
    const metadata = { ...definition.metadata, finalizers: [...finalizers, cleanupFinalizer] };
    return this.#store.update(definitions, { ...definition, metadata });
  }

  #statusOf(definition: SimObject, conflict: string | undefined): JsonRecord {
    const storage = readRecords(definition, "spec.versions").find((version) => version["storage"] === true);
    const stored = readStrings(definition, "status.storedVersions");
    const current = String(storage?.["name"]);
    const accepted = conflict === undefined;
    return {
      ...readRecord(definition, "status"),
      conditions: [
        this.#condition(
          definition,
          "NamesAccepted",
          accepted,
          accepted ? ["NoConflicts", "no conflicts found"] : ["KindConflict", conflict],
        ),
        this.#condition(
          definition,
          "Established",
          accepted,
          accepted
            ? ["InitialNamesAccepted", "the initial names have been accepted"]
            : ["NotAccepted", "not all names are accepted"],
        ),
      ],
      acceptedNames: readRecord(definition, "spec.names") ?? {},
      storedVersions: stored.includes(current) ? stored : [...stored, current],
    };
  }

  #condition(
    definition: SimObject,
    type: string,
    holds: boolean,
    [reason, message]: readonly string[],
  ): JsonRecord {
    const status = holds ? "True" : "False";
    const known = readRecords(definition, "status.conditions").find((each) => each["type"] === type);
    const since = known?.["status"] === status ? known["lastTransitionTime"] : timestamp(this.#clock.now());
    return { type, status, lastTransitionTime: since, reason, message };
  }

  /** Deletes every object of the kind; the definition goes once they are gone. */
  #finalize(definition: SimObject): void {
    const key = customTypeKey(definition);
    const finalizers = definition.metadata.finalizers ?? [];
    if (!finalizers.includes(cleanupFinalizer)) return;
    if (this.#store.registry.byKey(key)) {
      for (const { metadata } of this.#store.list(key)) {
        if (metadata.deletionTimestamp === undefined)
          this.#store.delete(key, metadata.namespace, metadata.name);
      }
      if (this.#store.list(key).length > 0) {
        const stop = this.#store.subscribe(key, (event) => {
          if (event.type !== "DELETED") return;
          stop();
          this.#queue.add(definition.metadata.name);
        });
        return;
      }
    }
    const left = finalizers.filter((finalizer) => finalizer !== cleanupFinalizer);
    const { finalizers: _all, ...metadata } = definition.metadata;
    this.#store.update(definitions, {
      ...definition,
      metadata: left.length > 0 ? { ...metadata, finalizers: left } : metadata,
    });
  }

  #withdraw(definition: SimObject): void {
    const type = this.#store.registry.byKey(customTypeKey(definition));
    if (type?.custom) this.#store.registry.remove(type);
  }
}

function nameConflict(store: ClusterStore, definition: SimObject): string | undefined {
  const known = store.registry.byKey(customTypeKey(definition));
  if (known && !known.custom) return `"${customTypeKey(definition)}" is already in use`;
  const kind = readString(definition, "spec.names.kind");
  const group = readString(definition, "spec.group");
  const twin = store.registry
    .types()
    .find((type) => type.group === group && type.kind === kind && type.key !== customTypeKey(definition));
  return twin ? `"${kind}" is already in use` : undefined;
}
