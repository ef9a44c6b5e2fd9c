import {
  Cluster,
  Credential,
  Token,
  User,
  WorkloadInstance,
  type AuditRecord,
  type Author,
} from "@bowline/api";
import { ManualClock } from "@bowline/core/testing";
import { describe, expect, test } from "vitest";

import type { NewAuditRecord } from "../../records/audit-log.ts";
import { cluster, credential, instance } from "../sample-objects.ts";
import { newStore, type StoreHarness } from "../store-harness.ts";

const audit = (verb: AuditRecord["verb"], httpStatus = 200): NewAuditRecord => ({
  actor: { user: "editor" },
  verb,
  outcome: "allowed",
  httpStatus,
  kind: "Cluster",
  requestId: "r1",
});

export function writingContract(harness: StoreHarness): void {
  describe("writing", () => {
    test("creates an object with what the server adds, and reads it back", async () => {
      const clock = new ManualClock();
      const { objects } = await newStore(harness, { clock });
      const { outcome, object } = await objects.create(Cluster, cluster("a", { labels: { env: "prod" } }));
      expect(outcome).toBe("created");
      expect(object).toMatchObject({
        apiVersion: "bowline.dev/v1",
        kind: "Cluster",
        metadata: { name: "a", labels: { env: "prod" }, generation: 1, resourceVersion: "1" },
        spec: { provider: "existing" },
        status: { conditions: [] },
      });
      expect(object.metadata.createdAt).toBe(new Date(clock.now()).toISOString());
      expect(await objects.get(Cluster, "a")).toEqual(object);
      expect(await objects.get(Cluster, "b")).toBeUndefined();
      expect(await objects.get(User, "a")).toBeUndefined();
    });

    test("refuses a name that is taken", async () => {
      const { objects } = await newStore(harness);
      await objects.create(Cluster, cluster("a"));
      await expect(objects.create(Cluster, cluster("a"))).rejects.toMatchObject({ code: "AlreadyExists" });
    });

    test("bumps the generation when the spec changes and only then", async () => {
      const { objects } = await newStore(harness);
      await objects.create(Cluster, cluster("a"));
      const labelled = await objects.write(Cluster, "a", () => cluster("a", { labels: { env: "prod" } }));
      expect(labelled).toMatchObject({
        outcome: "updated",
        object: { metadata: { generation: 1, resourceVersion: "2" } },
      });
      const respecified = await objects.write(Cluster, "a", () => cluster("a", { region: "eu-1" }));
      expect(respecified).toMatchObject({
        outcome: "updated",
        object: { metadata: { generation: 2, resourceVersion: "3", labels: {} } },
      });
    });

    test("writes nothing when nothing changes, whatever the order of the keys", async () => {
      const { objects, changes } = await newStore(harness);
      await objects.create(Cluster, cluster("a", { region: "eu-1", labels: { a: "1", b: "2" } }));
      const { outcome, object } = await objects.write(Cluster, "a", () => ({
        metadata: { annotations: {}, labels: { b: "2", a: "1" }, name: "a" },
        spec: { region: "eu-1", ...cluster("a").spec },
      }));
      expect(outcome).toBe("unchanged");
      expect(object.metadata.resourceVersion).toBe("1");
      expect(await changes.head()).toBe(1);
    });

    test("refuses to write over a version the caller has not seen", async () => {
      const { objects } = await newStore(harness);
      await objects.create(Cluster, cluster("a"));
      const write = (resourceVersion: string) =>
        objects.write(Cluster, "a", () => cluster("a", { region: `eu-${resourceVersion}` }), {
          resourceVersion,
        });
      await expect(write("1")).resolves.toMatchObject({ outcome: "updated" });
      await expect(write("1")).rejects.toMatchObject({ code: "Conflict", retryable: true });
      const missing = objects.write(Cluster, "none", () => cluster("none"), { resourceVersion: "1" });
      await expect(missing).rejects.toMatchObject({ code: "Conflict" });
      expect(await objects.get(Cluster, "none")).toBeUndefined();
    });

    test("decides on the current object, and one that refuses hurts no other", async () => {
      const { objects } = await newStore(harness);
      await objects.create(Cluster, cluster("a", { annotations: { n: "0" } }));
      const increments = Array.from({ length: 50 }, (_, index) =>
        objects.write(Cluster, "a", (current) => {
          if (index % 10 === 0) throw new TypeError("refused");
          const n = Number(current?.metadata.annotations["n"]) + 1;
          return cluster("a", { annotations: { n: String(n) } });
        }),
      );
      const outcomes = await Promise.allSettled(increments);
      expect(outcomes.filter(({ status }) => status === "rejected")).toHaveLength(5);
      expect((await objects.get(Cluster, "a"))?.metadata.annotations["n"]).toBe("45");
    });

    test("does not let a decision rename the object or change what is stored behind its back", async () => {
      const { objects } = await newStore(harness);
      await objects.create(Cluster, cluster("a"));
      await expect(objects.write(Cluster, "a", () => cluster("b"))).rejects.toMatchObject({
        code: "InvalidArgument",
      });
      await objects.writeStatus(Cluster, "a", (current) => {
        current.spec.region = "changed";
        return { conditions: [], kubernetesVersion: "v1" };
      });
      expect((await objects.get(Cluster, "a"))?.spec.region).toBeUndefined();
    });

    test("writes a status without a new generation, and finds what nobody has observed", async () => {
      const { objects } = await newStore(harness);
      await objects.create(Cluster, cluster("a"));
      await objects.create(Cluster, cluster("b"));
      await objects.create(User, {
        metadata: { name: "u", labels: {}, annotations: {} },
        spec: { role: "viewer", disabled: false, groups: [] },
      });
      const written = await objects.writeStatus(Cluster, "a", () => ({
        conditions: [],
        observedGeneration: 1,
      }));
      expect(written).toMatchObject({
        outcome: "updated",
        object: { metadata: { generation: 1, resourceVersion: "4" }, status: { observedGeneration: 1 } },
      });
      const unobserved = () => objects.listUnobserved({ kinds: [Cluster], limit: 10 });
      expect(await unobserved()).toMatchObject([{ kind: "Cluster", name: "b", generation: 1 }]);
      await objects.write(Cluster, "a", () => cluster("a", { region: "eu-1" }));
      const [first] = await objects.listUnobserved({ kinds: [Cluster], limit: 1 });
      expect(first).toMatchObject({ name: "a", generation: 2 });
      expect(await objects.listUnobserved({ kinds: [Cluster], limit: 10, after: first })).toMatchObject([
        { name: "b" },
      ]);
      const same = await objects.writeStatus(Cluster, "a", (current) => current.status);
      expect(same.outcome).toBe("unchanged");
      await expect(objects.writeStatus(Cluster, "x", () => ({ conditions: [] }))).rejects.toMatchObject({
        code: "NotFound",
      });
    });

    test("does not write a status to another object that got the name", async () => {
      const { objects } = await newStore(harness);
      const first = await objects.create(Cluster, cluster("a"));
      await objects.delete(Cluster, "a");
      const second = await objects.create(Cluster, cluster("a"));
      expect(second.object.metadata.id).not.toBe(first.object.metadata.id);
      const { id } = first.object.metadata;
      await expect(
        objects.writeStatus(Cluster, "a", () => ({ conditions: [] }), { id }),
      ).rejects.toMatchObject({
        code: "NotFound",
      });
    });

    test("requires that what must exist exists", async () => {
      const { objects } = await newStore(harness);
      const token = { metadata: { name: "t", labels: {}, annotations: {} }, spec: { user: "editor" } };
      await expect(objects.create(Token, token)).rejects.toMatchObject({
        code: "Invalid",
        details: { fields: [{ path: "spec.user" }] },
      });
      await objects.create(User, {
        metadata: { name: "editor", labels: {}, annotations: {} },
        spec: { role: "viewer", disabled: false, groups: [] },
      });
      await expect(objects.create(Token, { ...token, lookupKey: "hash" })).resolves.toMatchObject({
        outcome: "created",
      });
      expect(await objects.findByLookupKey(Token, "hash")).toMatchObject({ metadata: { name: "t" } });
      expect(JSON.stringify(await objects.get(Token, "t"))).not.toContain("hash");
      expect(await objects.findByLookupKey(Token, "other")).toBeUndefined();
      expect(await objects.findByLookupKey(User, "hash")).toBeUndefined();
    });

    test("appends the audit record with the write, and none for a write that failed", async () => {
      const store = await newStore(harness);
      const { objects } = store;
      await objects.create(Cluster, cluster("a"), { audit: () => audit("create", 201) });
      await objects.write(Cluster, "a", () => cluster("a"), {
        audit: ({ outcome }) => (outcome === "unchanged" ? undefined : audit("update")),
      });
      const conflict = objects.write(Cluster, "a", () => cluster("a", { region: "x" }), {
        resourceVersion: "99",
        audit: () => audit("update"),
      });
      await expect(conflict).rejects.toMatchObject({ code: "Conflict" });
      const broken = objects.create(Cluster, cluster("b"), {
        audit: () => {
          throw new TypeError("no record");
        },
      });
      await expect(broken).rejects.toThrow("no record");
      expect(await objects.get(Cluster, "b")).toBeUndefined();
      await objects.delete(Cluster, "a", {
        audit: ({ outcome }) => audit(outcome === "deleted" ? "delete" : "patch"),
      });
      const { items } = await store.audit.list();
      expect(items.map(({ verb }) => verb)).toEqual(["delete", "create"]);
    });

    test("gives a repeated create its first answer, to the same actor and until it expires", async () => {
      const clock = new ManualClock();
      const { objects, retention } = await newStore(harness, { clock });
      const create = (name: string, fingerprint = "f1", actor = "editor") =>
        objects.createOnce(Cluster, cluster(name), {
          idempotency: { actor, key: "k", fingerprint, ttlMs: 1_000 },
          answer: ({ object: { metadata } }) => ({
            json: `{"id":"${metadata.id}","secret":"s3"}`,
            resourceVersion: metadata.resourceVersion,
          }),
        });
      const [first, second] = await Promise.all([create("a"), create("a")]);
      const made = await objects.get(Cluster, "a");
      const answer = { json: `{"id":"${made?.metadata.id}","secret":"s3"}`, resourceVersion: "1" };
      expect(first.outcome).toBe("created");
      expect(second).toEqual({ outcome: "repeated", answer });
      await expect(create("c", "f1", "viewer")).resolves.toMatchObject({ outcome: "created" });
      await expect(create("b", "f2")).rejects.toMatchObject({ code: "Invalid" });
      await clock.advance(1_001);
      expect(await retention.prune({})).toMatchObject({ answers: 2 });
      await expect(create("b", "f2")).resolves.toMatchObject({ outcome: "created" });
    });

    test("writes down the author with the spec, and leaves it to nobody else", async () => {
      const { objects } = await newStore(harness);
      const by = (user: string): Author => ({ user, role: "editor", method: "token", groups: [] });
      const written = (placed: string[], user?: string) =>
        objects.write(WorkloadInstance, "web", () => instance("web", "web", placed), {
          author: user === undefined ? undefined : by(user),
        });
      const authorOf = async (result: ReturnType<typeof written>): Promise<string | undefined> =>
        (await result).object.status.author?.user;
      expect(await authorOf(written(["a"], "first"))).toBe("first");
      expect(await authorOf(written(["a"], "second"))).toBe("first");
      expect(await authorOf(written(["b"], "second"))).toBe("second");
      expect(await authorOf(written(["c"]))).toBe("second");
      const clusters = { clusters: [], clusterCount: 1, readyCount: 0 };
      const status = () => ({ conditions: [], ...clusters, author: by("third") });
      expect(await authorOf(objects.writeStatus(WorkloadInstance, "web", status))).toBe("second");
      await objects.create(Credential, credential("x"), { author: by("first") });
      expect((await objects.get(Credential, "x"))?.status).not.toHaveProperty("author");
    });
  });
}
