import { BowlineError } from "@bowline/core";
import type { TObject } from "typebox";

import type { Column } from "../kind/kind.ts";
import { object } from "../schema/build.ts";
import { jsonPathOf, parseFieldPath, schemaAt } from "../schema/field-path.ts";
import type { JsonSchema } from "../schema/json-schema.ts";
import { toStructuralSchema, type StructuralSchema } from "./structural-schema.ts";

export interface CustomResourceOptions {
  /** `bowline.dev` */
  readonly group: string;
  /** `v1alpha1` */
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly shortNames?: readonly string[];
  /** Names under which `kubectl get` lists several kinds at once. */
  readonly categories?: readonly string[];
  readonly scope: "Namespaced" | "Cluster";
  readonly description: string;
  readonly spec: TObject;
  /** Written through the status subresource only. */
  readonly status: TObject;
  readonly columns: readonly Column[];
}

export interface CustomResourceDefinition {
  readonly apiVersion: "apiextensions.k8s.io/v1";
  readonly kind: "CustomResourceDefinition";
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly group: string;
    readonly scope: "Namespaced" | "Cluster";
    readonly names: object;
    readonly versions: readonly CustomResourceVersion[];
  };
}

interface CustomResourceVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly subresources: { readonly status: object };
  readonly additionalPrinterColumns: readonly PrinterColumn[];
  readonly schema: { readonly openAPIV3Schema: StructuralSchema };
}

/** The definition of a custom resource, from the same kind of schemas and columns as an object of the REST API. */
export function customResourceDefinition(options: CustomResourceOptions): CustomResourceDefinition {
  const { group, kind, plural, scope, shortNames = [], categories = [], spec, status } = options;
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope,
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular: kind.toLowerCase(),
        ...(shortNames.length === 0 ? {} : { shortNames }),
        ...(categories.length === 0 ? {} : { categories }),
      },
      versions: [
        {
          name: options.version,
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: printerColumns(options.columns, object("", { spec, status })),
          schema: { openAPIV3Schema: rootSchema(options) },
        },
      ],
    },
  };
}

/** Kubernetes owns the metadata and says itself what is in it; a status is there only after somebody wrote one. */
function rootSchema({ description, spec, status }: CustomResourceOptions): StructuralSchema {
  return {
    description,
    type: "object",
    properties: {
      apiVersion: { type: "string" },
      kind: { type: "string" },
      metadata: { type: "object" },
      spec: toStructuralSchema(spec),
      status: toStructuralSchema(status),
    },
    required: ["spec"],
  };
}

interface PrinterColumn {
  readonly name: string;
  readonly type: "string" | "integer" | "number" | "boolean" | "date";
  readonly jsonPath: string;
  readonly priority?: number;
  readonly description?: string;
}

const age: PrinterColumn = { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" };

/** The columns of a kind as a custom resource has them. The name comes by itself; the age has to be asked for. */
function printerColumns(columns: readonly Column[], schema: JsonSchema): PrinterColumn[] {
  return [...columns.map((column) => printerColumn(column, schema)), age];
}

function printerColumn(column: Column, schema: JsonSchema): PrinterColumn {
  const path = parseFieldPath(column.path);
  const field = schemaAt(path, schema);
  if (field === undefined) {
    throw new BowlineError(
      "Internal",
      `The column ${column.header} shows "${column.path}", which is not in the schema.`,
    );
  }
  return {
    name: titleCase(column.header),
    type: columnType(column, field),
    jsonPath: jsonPathOf(path),
    ...(column.wide === true ? { priority: 1 } : {}),
    ...(field.description === undefined ? {} : { description: field.description }),
  };
}

/** Kubernetes can show a value or the age of a time; it can neither count nor look ahead. */
function columnType({ header, format = "text", of }: Column, field: JsonSchema): PrinterColumn["type"] {
  if (of !== undefined) {
    throw new BowlineError(
      "Internal",
      `The column ${header} shows a part of a whole, which Kubernetes cannot.`,
    );
  }
  if (format === "age") return "date";
  if (format !== "text") {
    throw new BowlineError(
      "Internal",
      `The column ${header} has the format "${format}", which Kubernetes has not.`,
    );
  }
  const { type } = field;
  return type === "integer" || type === "number" || type === "boolean" ? type : "string";
}

/** kubectl prints headers in upper case and documents show them as they are. */
function titleCase(header: string): string {
  return header.toLowerCase().replaceAll(/(?:^|-)[a-z]/g, (start) => start.toUpperCase());
}
