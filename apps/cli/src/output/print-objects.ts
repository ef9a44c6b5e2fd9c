import { apiVersion, type Kind } from "@bowline/api";

import { resourceName, type FoundObject } from "../resources/resource.ts";
import type { Paint } from "../terminal/paint.ts";
import { ObjectTable } from "./object-table.ts";
import type { OutputOptions } from "./output-format.ts";
import { toDocument } from "./to-document.ts";

export interface PrintOptions extends OutputOptions {
  readonly nowMs: number;
  readonly paint: Paint;
  /** One object was asked for by name: it is printed as it is, and not as a list of one. */
  readonly single: boolean;
  /** Several kinds were asked for, even if objects of one only were found. */
  readonly withKind: boolean;
}

/** Objects as text, in the format that was asked for. */
export async function printObjects(found: readonly FoundObject[], options: PrintOptions): Promise<string> {
  const { output } = options;
  if (output === "table" || output === "wide") return printTables(found, options);
  if (output === "name") {
    return found
      .map(({ kind, object }) => `${resourceName({ kind, name: object.metadata.name })}\n`)
      .join("");
  }
  const [first] = found;
  if (options.single && first !== undefined) return toDocument(first.object, output);
  return toDocument({ apiVersion, kind: "List", items: found.map(({ object }) => object) }, output);
}

/** A table for each kind, since they have different columns. */
function printTables(found: readonly FoundObject[], options: PrintOptions): string {
  const byKind = Map.groupBy(found, ({ kind }): Kind => kind);
  const tables = [...byKind].map(([kind, objects]) => {
    const table = new ObjectTable(kind, {
      wide: options.output === "wide",
      noHeaders: !options.headers,
      showLabels: options.showLabels,
      withKind: options.withKind,
      withEvent: false,
      paint: options.paint,
    });
    return table.rows(objects, options.nowMs);
  });
  return tables.join("\n");
}
