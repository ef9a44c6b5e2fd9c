import { WorkloadInstance, WorkloadPlacement } from "@bowline/api";
import { sql } from "kysely";

import { deleteRows } from "../engine/bulk-statement.ts";
import type { Engine } from "../engine/engine.ts";
import { rowsOf, run, type Transaction } from "../engine/transaction.ts";
import { fieldTerm } from "../objects/object-index.ts";

type Queries = Engine["queries"];

/** As many as a definition keeps; older ones stay as long as the inventory or an object names them. */
const keptRevisions = 10;

/** Fields by which objects name revisions that are still to be applied: pinned, gone back to, or waiting for an agent. */
const namingFields = [
  [WorkloadInstance.kind, "spec.revision.pin"],
  [WorkloadInstance.kind, "status.rollout.revision"],
  [WorkloadInstance.kind, "status.rollout.from"],
  [WorkloadPlacement.kind, "spec.revision"],
] as const;

/**
 * Deletes revisions that are too many, or whose definition is gone, and that neither the inventory nor an object names;
 * returns how many there were, at most `limit`.
 *
 * They are locked and looked for again, because somebody may have begun to use one since it was found. From there on
 * such a transaction waits, and then finds the revision gone.
 */
export function* pruneRevisions({ queries, dialect }: Engine, limit: number): Transaction<number> {
  const found = yield* rowsOf(unusedRevisions(queries).limit(limit));
  if (found.length === 0) return 0;
  const ids = [...new Set(found.map(({ id }) => id))];
  const lock = queries.selectFrom("revisions").select("id").where("id", "in", ids);
  yield* run(dialect === "postgres" ? lock.forUpdate() : lock);
  const unused = yield* rowsOf(unusedRevisions(queries).where("ranked.id", "in", ids));
  yield* run(deleteRows("revisions", unused));
  return unused.length;
}

/** Deletes contents that neither a revision nor the inventory names, in the same way. */
export function* pruneBlobs({ queries, dialect }: Engine, limit: number): Transaction<number> {
  const found = yield* rowsOf(unusedBlobs(queries).limit(limit));
  if (found.length === 0) return 0;
  const ids = found.map(({ id }) => id);
  const lock = queries.selectFrom("blobs").select("id").where("id", "in", ids);
  yield* run(dialect === "postgres" ? lock.forUpdate() : lock);
  const unused = yield* rowsOf(unusedBlobs(queries).where("blobs.id", "in", ids));
  yield* run(deleteRows("blobs", unused));
  return unused.length;
}

function unusedRevisions(queries: Queries) {
  const ranked = queries
    .selectFrom("revisions")
    .select(["definition_id", "id"])
    .select(
      sql<number>`row_number() over (partition by definition_id order by resolved_at desc)`.as("place"),
    );
  return queries
    .selectFrom(ranked.as("ranked"))
    .leftJoin("objects", "objects.id", "ranked.definition_id")
    .select(["ranked.definition_id", "ranked.id"])
    .where((eb) => eb.or([eb("ranked.place", ">", keptRevisions), eb("objects.id", "is", null)]))
    .where((eb) =>
      eb.not(
        eb.exists(eb.selectFrom("inventory").select("name").whereRef("inventory.revision", "=", "ranked.id")),
      ),
    )
    .where((eb) =>
      eb.and(
        namingFields.map(([kind, field]) =>
          eb.not(
            eb.exists(
              eb
                .selectFrom("object_terms")
                .select("object_terms.name")
                .where("object_terms.kind", "=", kind)
                .where("object_terms.term", "=", fieldTerm(field))
                .whereRef("object_terms.value", "=", "ranked.id"),
            ),
          ),
        ),
      ),
    );
}

function unusedBlobs(queries: Queries) {
  return queries
    .selectFrom("blobs")
    .select("blobs.id")
    .where((eb) =>
      eb.not(eb.exists(eb.selectFrom("revisions").select("id").whereRef("revisions.id", "=", "blobs.id"))),
    )
    .where((eb) =>
      eb.not(
        eb.exists(eb.selectFrom("inventory").select("name").whereRef("inventory.revision", "=", "blobs.id")),
      ),
    );
}
