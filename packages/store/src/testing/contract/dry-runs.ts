import { Cluster, Credential, Token, WorkloadDefinition, WorkloadInstance } from "@bowline/api";
import { describe, expect, test } from "vitest";

import type { ObjectJson } from "../../objects/stored-object.ts";
import type { NewAuditRecord } from "../../records/audit-log.ts";
import type { Store } from "../../store.ts";
import { cluster, credential, definition, instance } from "../sample-objects.ts";
import { newStore, type StoreHarness } from "../store-harness.ts";

const dryRun = true;
const record: NewAuditRecord = {
  actor: { user: "editor" },
  verb: "update",
  outcome: "allowed",
  httpStatus: 200,
  requestId: "r1",
};
const audit = (): NewAuditRecord => record;
const answer = (): ObjectJson => ({ json: "{}", resourceVersion: "1" });

/** Everything that a write leaves behind. */
async function traces(store: Store): Promise<unknown> {
  return [
    await store.changes.head(),
    await store.objects.list(Cluster),
    await store.objects.list(WorkloadInstance),
    (await store.audit.list()).total,
  ];
}

export function dryRunsContract(harness: StoreHarness): void {
  describe("dry runs", () => {
    test("tell what a write would come to, and write nothing", async () => {
      const store = await newStore(harness);
      const { objects } = store;
      await objects.create(Cluster, cluster("a"));
      const before = await traces(store);
      const created = await objects.create(Cluster, cluster("b"), { dryRun, audit });
      expect(created).toMatchObject({
        outcome: "created",
        object: { metadata: { name: "b", generation: 1, resourceVersion: "0" } },
      });
      const once = await objects.createOnce(Cluster, cluster("b"), {
        dryRun,
        audit,
        answer,
        idempotency: { actor: "editor", key: "k", fingerprint: "f", ttlMs: 1_000 },
      });
      expect(once.outcome).toBe("created");
      const updated = await objects.write(Cluster, "a", () => cluster("a", { region: "eu-1" }), {
        dryRun,
        audit,
      });
      expect(updated).toMatchObject({
        outcome: "updated",
        object: { metadata: { generation: 2, resourceVersion: "1" }, spec: { region: "eu-1" } },
      });
      const status = await objects.writeStatus(
        Cluster,
        "a",
        () => ({ conditions: [], observedGeneration: 1 }),
        { dryRun, audit },
      );
      expect(status).toMatchObject({
        outcome: "updated",
        object: { metadata: { resourceVersion: "1" }, status: { observedGeneration: 1 } },
      });
      const deleted = await objects.delete(Cluster, "a", { dryRun, audit });
      expect(deleted).toMatchObject({
        outcome: "deleted",
        object: { metadata: { name: "a", resourceVersion: "1" } },
      });
      expect(await traces(store)).toEqual(before);
      // No answer was kept either: the key can be used for another request.
      const other = await objects.createOnce(Cluster, cluster("c"), {
        answer,
        idempotency: { actor: "editor", key: "k", fingerprint: "g", ttlMs: 1_000 },
      });
      expect(other.outcome).toBe("created");
    });

    test("find everything that would refuse the write", async () => {
      const { objects } = await newStore(harness);
      await objects.create(Cluster, cluster("a"));
      await objects.create(WorkloadDefinition, definition("web"));
      await objects.create(WorkloadInstance, instance("web", "web", ["a"]));
      const token = { metadata: { name: "t", labels: {}, annotations: {} }, spec: { user: "nobody" } };
      const refused = await Promise.allSettled([
        objects.create(Cluster, cluster("a"), { dryRun }),
        objects.create(Token, token, { dryRun }),
        objects.write(Cluster, "a", () => cluster("a", { region: "x" }), { dryRun, resourceVersion: "99" }),
        objects.writeStatus(Cluster, "none", () => ({ conditions: [] }), { dryRun }),
        objects.delete(Cluster, "a", { dryRun }),
        objects.delete(Cluster, "none", { dryRun }),
      ]);
      const codes = refused.map((outcome) => (outcome.status === "rejected" ? outcome.reason.code : "none"));
      expect(codes).toEqual([
        "AlreadyExists",
        "Invalid",
        "Conflict",
        "NotFound",
        "StillReferenced",
        "NotFound",
      ]);
    });

    test("of a deletion with cascade leave everything that refers to the object", async () => {
      const store = await newStore(harness);
      const { objects } = store;
      await objects.create(Cluster, cluster("a"));
      await objects.create(WorkloadDefinition, definition("web"));
      await objects.create(WorkloadInstance, instance("web", "web", ["a"]));
      const before = await traces(store);
      const deleted = await objects.delete(Cluster, "a", { dryRun, cascade: true, audit });
      expect(deleted.outcome).toBe("deleted");
      expect(await traces(store)).toEqual(before);
    });

    test("do not touch secrets", async () => {
      const { objects } = await newStore(harness);
      await objects.create(Credential, credential("a", { token: "one" }));
      const changed = await objects.write(Credential, "a", () => credential("a", { token: "two" }), {
        dryRun,
      });
      expect(changed).toMatchObject({ outcome: "updated", object: { metadata: { generation: 2 } } });
      expect(await objects.reveal(Credential, "a")).toMatchObject({ spec: { data: { token: "one" } } });
    });
  });
}
