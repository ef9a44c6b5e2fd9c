import { systemClock } from "@bowline/core";
import { expect, onTestFinished, test } from "vitest";

import { insertRows, type BulkStatement } from "../engine/bulk-statement.ts";
import type { Engine } from "../engine/engine.ts";
import { SqliteEngine } from "../engine/sqlite-engine.ts";
import { run, type Statement, type Transaction } from "../engine/transaction.ts";
import { Migrator } from "../schema/migrator.ts";
import { Inventory } from "./inventory.ts";

const key = { instanceId: "web", clusterId: "east" };
const objects = Array.from({ length: 1_000 }, (_, index) => ({
  group: "",
  kind: "ConfigMap",
  namespace: "shop",
  name: `n${index}`,
  version: "v1",
  stage: 3,
}));

function* recorded<T>(transaction: Transaction<T>, statements: Statement[]): Transaction<T> {
  let step = transaction.next();
  while (step.done !== true) {
    statements.push(step.value);
    step = transaction.next(yield step.value);
  }
  return step.value;
}

/** An inventory with what it needs, and every statement that it has its database run. */
async function setup(): Promise<{ inventory: Inventory; statements: Statement[] }> {
  const engine = new SqliteEngine({ file: ":memory:", clock: systemClock });
  onTestFinished(() => engine.close());
  await new Migrator(engine, Date.now).up();
  await engine.commit(function* () {
    const shared = { generation: 1, observed_generation: 0, resource_version: 1, body: "{}" };
    const hidden = { secrets: null, lookup_key: null };
    const ids = ["web", "east"].map((id) => ({ id, kind: "Test", name: id, ...shared, ...hidden }));
    yield* run(insertRows("objects", ids));
    const unknown = { commit_id: null, author: null, signer: null };
    const revision = { definition_id: "shop", id: "r1", ...unknown, objects: 1, bytes: 1 };
    yield* run(insertRows("revisions", [{ ...revision, resolved_at: 1, state: "resolved" }]));
    yield* run(insertRows("blobs", [{ id: "r1", content: "" }]));
  });
  const statements: Statement[] = [];
  const recording: Engine = {
    dialect: engine.dialect,
    queries: engine.queries,
    read: (transaction) => engine.read(transaction),
    readSnapshot: (transaction) => engine.readSnapshot(transaction),
    commit: (transaction) => engine.commit(() => recorded(transaction(), statements)),
    openLong: (mode) => engine.openLong(mode),
    nowMs: () => engine.nowMs(),
    close: () => engine.close(),
  };
  return { inventory: new Inventory(recording), statements };
}

const written = (statements: readonly Statement[]): BulkStatement[] =>
  statements.filter((statement) => "rows" in statement).filter(({ action }) => action !== "select");

test("a thousand objects are a handful of statements, and none that writes when nothing changes", async () => {
  const { inventory, statements } = await setup();
  await inventory.intend(key, objects, { revision: "r1" });
  expect(statements.splice(0)).toHaveLength(5);
  const applied = objects.map((object) => ({ ...object, uid: object.name, appliedAtMs: 1 }));
  await inventory.applied(key, applied, { revision: "r1" });
  expect(statements.splice(0)).toHaveLength(2);

  await inventory.intend(key, objects, { revision: "r1" });
  await inventory.applied(key, applied, { revision: "r1" });
  expect(written(statements.splice(0))).toEqual([]);
  await inventory.pruning(key, objects);
  await inventory.gone(key, objects);
  expect(written(statements)).toMatchObject([{ action: "upsert" }, { action: "delete" }]);
});
