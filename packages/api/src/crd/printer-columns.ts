import { BowlineError } from "@bowline/core";

import type { Column } from "../kind/column.ts";
import { jsonPathOf, parseFieldPath, schemaAt } from "../path/field-path.ts";
import type { JsonSchema } from "../schema/json-schema.ts";

export interface PrinterColumn {
  readonly name: string;
  readonly type: "string" | "integer" | "number" | "boolean" | "date";
  readonly jsonPath: string;
  readonly priority?: number;
  readonly description?: string;
}

const age: PrinterColumn = { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" };

/** The columns of a kind as a custom resource has them. The name comes by itself; the age has to be asked for. */
export function printerColumns(columns: readonly Column[], schema: JsonSchema): PrinterColumn[] {
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
function columnType({ header, format = "text" }: Column, field: JsonSchema): PrinterColumn["type"] {
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
