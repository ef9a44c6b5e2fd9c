import type { Kind } from "@bowline/api";

import { upsertRows } from "../engine/bulk-statement.ts";
import type { Engine } from "../engine/engine.ts";
import { firstRowOf, rowsOf, run, type Program } from "../engine/program.ts";
import { CommitBatch } from "./commit-batch.ts";
import { everyObject, indexDefinitionOf, referenceRowsOf, termsOf } from "./object-terms.ts";
import { parseObject } from "./stored-object.ts";

const pageSize = 500;

/**
 * Makes the index rows of a kind anew when other fields can be filtered by, or refer to objects, than when they were
 * written. This is why a new field of a kind needs no migration. Resolves to the kinds it was done for.
 */
export async function reindexKinds(engine: Engine, kinds: readonly Kind[], nowMs: number): Promise<string[]> {
  const reindexed: string[] = [];
  for (const kind of kinds) {
    if (await engine.commit(() => reindexKind(engine, kind, nowMs))) reindexed.push(kind.kind);
  }
  return reindexed;
}

function* reindexKind(engine: Engine, kind: Kind, nowMs: number): Program<boolean> {
  const { queries } = engine;
  const definition = indexDefinitionOf(kind);
  const known = queries.selectFrom("kind_indexes").select("definition").where("kind", "=", kind.kind);
  if ((yield* firstRowOf(known))?.definition === definition) return false;
  // For its lock: no object may change in the meantime.
  yield* CommitBatch.begin(engine, nowMs);
  yield* run(queries.deleteFrom("object_terms").where("kind", "=", kind.kind));
  yield* run(
    queries.deleteFrom("object_counts").where("kind", "=", kind.kind).where("term", "<>", everyObject.term),
  );
  yield* run(queries.deleteFrom("object_references").where("from_kind", "=", kind.kind));
  let after = "";
  for (;;) {
    const page = yield* rowsOf(
      queries
        .selectFrom("objects")
        .select(["name", "body"])
        .where("kind", "=", kind.kind)
        .where("name", ">", after)
        .orderBy("name")
        .limit(pageSize),
    );
    const objects = page.map(({ body }) => parseObject(body));
    yield* run(
      upsertRows(
        "object_terms",
        objects.flatMap((object) => termsOf(kind, object)),
      ),
    );
    yield* run(
      upsertRows(
        "object_references",
        objects.flatMap((object) => referenceRowsOf(kind, object)),
      ),
    );
    after = page.at(-1)?.name ?? after;
    if (page.length < pageSize) break;
  }
  yield* run(
    queries.insertInto("object_counts").expression((eb) =>
      eb
        .selectFrom("object_terms")
        .select(["kind", "term", "value", eb.fn.countAll<number>().as("count")])
        .where("kind", "=", kind.kind)
        .groupBy(["kind", "term", "value"]),
    ),
  );
  yield* run(upsertRows("kind_indexes", [{ kind: kind.kind, definition }]));
  return true;
}
