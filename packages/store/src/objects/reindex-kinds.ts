import { fillDefaults, type ApiObject, type Kind } from "@bowline/api";

import { upsertRows } from "../engine/bulk-statement.ts";
import type { Engine } from "../engine/engine.ts";
import { firstRowOf, rowsOf, run, type Transaction } from "../engine/transaction.ts";
import { CommitBatch } from "./commit-batch.ts";
import { everyObject, indexDefinitionOf, referenceRowsOf, termsOf } from "./object-index.ts";
import { parseObject } from "./stored-object.ts";

type Queries = Engine["queries"];

const pageSize = 500;

/**
 * Makes the index rows of a kind anew when other fields can be filtered by, or refer to objects, than when they were
 * written, and writes defaults into objects that are older than a field. This is why a new field needs no migration.
 */
export async function reindexKinds(engine: Engine, kinds: readonly Kind[], nowMs: number): Promise<void> {
  for (const kind of kinds) await engine.commit(() => reindexKind(engine, kind, nowMs));
}

function* reindexKind(engine: Engine, kind: Kind, nowMs: number): Transaction<void> {
  const { queries } = engine;
  const definition = indexDefinitionOf(kind);
  const known = queries.selectFrom("kind_indexes").select("definition").where("kind", "=", kind.kind);
  if ((yield* firstRowOf(known))?.definition === definition) return;
  // For its lock: no object may change in the meantime.
  yield* CommitBatch.begin(engine, nowMs);
  yield* dropIndex(queries, kind);
  yield* indexObjects(queries, kind);
  yield* countTerms(queries, kind);
  yield* run(upsertRows("kind_indexes", [{ kind: kind.kind, definition }]));
}

/** Not how many objects there are in all, which no index says. */
function* dropIndex(queries: Queries, { kind }: Kind): Transaction<void> {
  yield* run(queries.deleteFrom("object_terms").where("kind", "=", kind));
  yield* run(
    queries.deleteFrom("object_counts").where("kind", "=", kind).where("term", "<>", everyObject.term),
  );
  yield* run(queries.deleteFrom("object_references").where("from_kind", "=", kind));
}

function* indexObjects(queries: Queries, kind: Kind): Transaction<void> {
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
    const objects = [];
    for (const { name, body } of page) {
      const stored = parseObject(body);
      const object = fillDefaults(kind.schemas.stored, stored);
      objects.push(object);
      if (object !== stored) yield* rewrite(queries, { kind: kind.kind, name }, object);
    }
    const terms = objects.flatMap((object) => termsOf(kind, object));
    const references = objects.flatMap((object) => referenceRowsOf(kind, object));
    yield* run(upsertRows("object_terms", terms));
    yield* run(upsertRows("object_references", references));
    after = page.at(-1)?.name ?? after;
    if (page.length < pageSize) return;
  }
}

/** To everybody else the object stays as it was: it is read so already. */
function* rewrite(
  queries: Queries,
  { kind, name }: { readonly kind: string; readonly name: string },
  object: ApiObject,
): Transaction<void> {
  const update = queries.updateTable("objects").set({ body: JSON.stringify(object) });
  yield* run(update.where("kind", "=", kind).where("name", "=", name));
}

function* countTerms(queries: Queries, { kind }: Kind): Transaction<void> {
  yield* run(
    queries.insertInto("object_counts").expression((eb) =>
      eb
        .selectFrom("object_terms")
        .select(["kind", "term", "value", eb.fn.countAll<number>().as("count")])
        .where("kind", "=", kind)
        .groupBy(["kind", "term", "value"]),
    ),
  );
}
