import type { TObject } from "typebox";

import type { Column } from "../kind/column.ts";
import { object } from "../schema/build.ts";
import { printerColumns, type PrinterColumn } from "./printer-columns.ts";
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
