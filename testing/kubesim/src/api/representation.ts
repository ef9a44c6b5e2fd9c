import { toVersion } from "../store/convert.ts";
import { apiVersionOf, type GroupVersion, type ResourceType } from "../store/resource-type.ts";
import type { SimObject } from "../store/sim-api.ts";
import type { Shape } from "./accept.ts";
import { tableLayout } from "./table/layouts.ts";

export interface ListMeta {
  readonly resourceVersion: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

/** How stored objects look in one answer: in which version, and whole, as metadata alone or as rows. */
export interface Representation {
  /** Equal keys mean equal bytes for the same object, so that watchers can share them. */
  readonly key: string;
  object(object: SimObject): unknown;
  /** The kind and a resourceVersion, and nothing else: what a bookmark of a watch carries. */
  bookmark(metadata: BookmarkMeta): unknown;
  /** The list without its objects; these follow under `itemsField`. */
  listHead(metadata: ListMeta): object;
  readonly itemsField: "items" | "rows";
  item(object: SimObject): unknown;
}

interface BookmarkMeta {
  readonly resourceVersion: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface RepresentationInit {
  readonly type: ResourceType;
  readonly place: GroupVersion;
  readonly shape: Shape;
  /** `None`, `Metadata` or `Object`: what comes with each row of a table. */
  readonly includeObject: string | null;
  readonly nowMs: () => number;
  /** Of the server: later versions have further columns. */
  readonly minorVersion: number;
}

export function representationOf(init: RepresentationInit): Representation {
  if (init.shape.kind === "table") return tableRepresentation(init, `meta.k8s.io/${init.shape.metaVersion}`);
  if (init.shape.kind === "metadata") return metadataRepresentation(`meta.k8s.io/${init.shape.metaVersion}`);
  return objectRepresentation(init.type, apiVersionOf(init.place));
}

/** The text of a list in pieces, one object at a time. */
export function* listPieces(
  form: Representation,
  items: Iterable<SimObject>,
  metadata: ListMeta,
): Generator<string> {
  yield `${JSON.stringify(form.listHead(metadata)).slice(0, -1)},"${form.itemsField}":[`;
  let separator = "";
  for (const object of items) {
    yield separator + JSON.stringify(form.item(object));
    separator = ",";
  }
  yield "]}\n";
}

function objectRepresentation(type: ResourceType, apiVersion: string): Representation {
  const shown = (object: SimObject): SimObject => toVersion(type, object, apiVersion);
  return {
    key: apiVersion,
    object: shown,
    bookmark: (metadata) => ({
      kind: type.kind,
      apiVersion,
      metadata: { creationTimestamp: null, ...metadata },
    }),
    listHead: (metadata) => ({ kind: type.listKind, apiVersion, metadata }),
    itemsField: "items",
    // The items of built-in lists do not repeat what the list says of them all.
    item: (object) =>
      type.custom ? shown(object) : { ...shown(object), kind: undefined, apiVersion: undefined },
  };
}

function metadataRepresentation(metaVersion: string): Representation {
  const partial = (object: SimObject): unknown => partialMetadata(object, metaVersion);
  return {
    key: `metadata ${metaVersion}`,
    object: partial,
    bookmark: (metadata) => ({
      kind: "PartialObjectMetadata",
      apiVersion: metaVersion,
      metadata: { creationTimestamp: null, ...metadata },
    }),
    listHead: (metadata) => ({ kind: "PartialObjectMetadataList", apiVersion: metaVersion, metadata }),
    itemsField: "items",
    item: partial,
  };
}

function tableRepresentation(init: RepresentationInit, metaVersion: string): Representation {
  const { type, place, nowMs } = init;
  const includeObject = init.includeObject ?? "Metadata";
  const { columns, cells } = tableLayout(type, place.version, init.minorVersion);
  const head = { kind: "Table", apiVersion: metaVersion };
  const rowObject = (object: SimObject): unknown => {
    if (includeObject === "None") return null;
    if (includeObject === "Object") return toVersion(type, object, apiVersionOf(place));
    return partialMetadata(object, metaVersion);
  };
  const row = (object: SimObject): unknown => ({ cells: cells(object, nowMs()), object: rowObject(object) });
  return {
    key: `table ${apiVersionOf(place)} ${metaVersion} ${includeObject}`,
    object: (object) => ({
      ...head,
      metadata: { resourceVersion: object.metadata.resourceVersion },
      columnDefinitions: columns,
      rows: [row(object)],
    }),
    bookmark: ({ resourceVersion }) => ({
      ...head,
      metadata: { resourceVersion },
      columnDefinitions: [],
      rows: [],
    }),
    listHead: (metadata) => ({ ...head, metadata, columnDefinitions: columns }),
    itemsField: "rows",
    item: row,
  };
}

function partialMetadata(object: SimObject, apiVersion: string): unknown {
  return { kind: "PartialObjectMetadata", apiVersion, metadata: object.metadata };
}
