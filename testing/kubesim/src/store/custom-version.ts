import type { CompiledCrdSchema } from "../schema/crd.ts";

export interface PrinterColumn {
  readonly name: string;
  readonly type: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
  readonly jsonPath: string;
}

/** What one version of a CustomResourceDefinition says about its objects. */
export interface CustomVersion {
  readonly name: string;
  readonly schema: CompiledCrdSchema;
  readonly hasStatus: boolean;
  readonly printerColumns: readonly PrinterColumn[];
  readonly selectableFields: readonly string[];
}
