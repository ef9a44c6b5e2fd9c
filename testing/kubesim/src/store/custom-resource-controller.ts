import type { Clock } from "@bowline/core";

import { compileCrdSchema } from "../schema/crd.ts";
import type { ClusterStore } from "./cluster-store.ts";
import type { CustomVersion, PrinterColumn } from "./custom-version.ts";
import {
  deepEqual,
  readNumber,
  readPath,
  readRecord,
  readRecords,
  readString,
  readStrings,
  type JsonRecord,
} from "./json-value.ts";
import { timestamp } from "./object-meta.ts";
import type { ResourceType, ScalePaths } from "./resource-type.ts";
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
    const key = keyOf(definition);
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
    const type = this.#store.registry.byKey(keyOf(definition));
    if (type?.custom) this.#store.registry.remove(type);
  }
}

function keyOf(definition: SimObject): string {
  return `${readString(definition, "spec.names.plural") ?? ""}.${readString(definition, "spec.group") ?? ""}`;
}

function nameConflict(store: ClusterStore, definition: SimObject): string | undefined {
  const known = store.registry.byKey(keyOf(definition));
  if (known && !known.custom) return `"${keyOf(definition)}" is already in use`;
  const kind = readString(definition, "spec.names.kind");
  const group = readString(definition, "spec.group");
  const twin = store.registry
    .types()
    .find((type) => type.group === group && type.kind === kind && type.key !== keyOf(definition));
  return twin ? `"${kind}" is already in use` : undefined;
}

function customType(definition: SimObject): ResourceType {
  const group = readString(definition, "spec.group") ?? "";
  const names = readRecord(definition, "spec.names") ?? {};
  const kind = String(names["kind"]);
  const versions = readRecords(definition, "spec.versions");
  const served = versions.filter((version) => version["served"] === true);
  const storage = versions.find((version) => version["storage"] === true) ?? served[0];
  const scale = scaleOf(storage);
  return {
    key: keyOf(definition),
    group,
    version: String(storage?.["name"]),
    served: served.map((version) => ({ group, version: String(version["name"]) })),
    resource: String(names["plural"]),
    kind,
    listKind: readString(names, "listKind") ?? `${kind}List`,
    singular: readString(names, "singular") ?? kind.toLowerCase(),
    shortNames: readStrings(names, "shortNames"),
    categories: readStrings(names, "categories"),
    namespaced: readString(definition, "spec.scope") !== "Cluster",
    hasStatus: versions.some((version) => readRecord(version, "subresources.status") !== undefined),
    ...(scale ? { scale } : {}),
    subresources: [],
    countsGeneration: true,
    createsOnUpdate: false,
    updatesUnconditionally: false,
    returnsDeleted: false,
    freeNames: false,
    virtual: false,
    custom: new Map(
      versions.map((version) => [String(version["name"]), customVersion(version, group, kind)]),
    ),
  };
}

function customVersion(version: JsonRecord, group: string, kind: string): CustomVersion {
  const name = String(version["name"]);
  return {
    name,
    schema: compileCrdSchema(readPath(version, "schema.openAPIV3Schema"), { group, version: name, kind }),
    hasStatus: readRecord(version, "subresources.status") !== undefined,
    printerColumns: printerColumns(version),
    selectableFields: readRecords(version, "selectableFields").map((field) =>
      String(field["jsonPath"]).replace(/^\./, ""),
    ),
  };
}

/** A kind that names no columns shows its age. */
function printerColumns(version: JsonRecord): PrinterColumn[] {
  const columns = readRecords(version, "additionalPrinterColumns").map((column): PrinterColumn => {
    const format = readString(column, "format");
    const description = readString(column, "description");
    const priority = readNumber(column, "priority");
    return {
      name: String(column["name"]),
      type: String(column["type"]),
      jsonPath: String(column["jsonPath"]),
      ...(format === undefined ? {} : { format }),
      ...(description === undefined ? {} : { description }),
      ...(priority === undefined ? {} : { priority }),
    };
  });
  return columns.length > 0
    ? columns
    : [{ name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" }];
}

function scaleOf(version: JsonRecord | undefined): ScalePaths | undefined {
  const scale = readRecord(version, "subresources.scale");
  if (!scale) return undefined;
  const path = (field: string): string | undefined => readString(scale, field)?.replace(/^\./, "");
  const selector = path("labelSelectorPath");
  return {
    specReplicas: path("specReplicasPath") ?? "spec.replicas",
    statusReplicas: path("statusReplicasPath") ?? "status.replicas",
    ...(selector === undefined ? {} : { selector }),
  };
}
