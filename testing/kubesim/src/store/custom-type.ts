import { compileCrdSchema } from "../schema/crd.ts";
import type { CustomVersion, PrinterColumn } from "./custom-version.ts";
import {
  readNumber,
  readPath,
  readRecord,
  readRecords,
  readString,
  readStrings,
  type JsonRecord,
} from "./json-value.ts";
import type { ResourceType, ScalePaths } from "./resource-type.ts";
import type { SimObject } from "./sim-api.ts";

/** The table that the objects of a CustomResourceDefinition are kept in. */
export function customTypeKey(definition: SimObject): string {
  return `${readString(definition, "spec.names.plural") ?? ""}.${readString(definition, "spec.group") ?? ""}`;
}

/** The kind that a CustomResourceDefinition describes. */
export function customType(definition: SimObject): ResourceType {
  const group = readString(definition, "spec.group") ?? "";
  const names = readRecord(definition, "spec.names") ?? {};
  const kind = String(names["kind"]);
  const versions = readRecords(definition, "spec.versions");
  const served = versions.filter((version) => version["served"] === true);
  const storage = versions.find((version) => version["storage"] === true) ?? served[0];
  const scale = scaleOf(storage);
  return {
    key: customTypeKey(definition),
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
    measured: false,
    countsGeneration: true,
    createsOnUpdate: false,
    updatesUnconditionally: false,
    returnsDeleted: false,
    freeNames: false,
    deletesCollections: true,
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
