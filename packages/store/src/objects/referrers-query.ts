import type { Kind } from "@bowline/api";
import type { Compilable } from "kysely";

import type { Engine } from "../engine/engine.ts";
import type { ObjectReference } from "./object-store.ts";
import type { ReferenceRow } from "./object-terms.ts";

export function referrersQuery(
  queries: Engine["queries"],
  kind: Kind,
  name: string,
  limit: number,
): Compilable<ReferenceRow> {
  return queries
    .selectFrom("object_references")
    .selectAll()
    .where("to_kind", "=", kind.kind)
    .where("to_name", "=", name)
    .orderBy("from_kind")
    .orderBy("from_name")
    .orderBy("field")
    .limit(limit);
}

export function referenceOf(row: ReferenceRow): ObjectReference {
  return { kind: row.from_kind, name: row.from_name, field: row.field };
}
