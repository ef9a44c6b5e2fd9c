import { setImmediate as nextTurn } from "node:timers/promises";

import type { AuditRecord } from "@bowline/api";
import { ManualClock } from "@bowline/core/testing";
import { describe, expect, test } from "vitest";

import type { AuditQuery, NewAuditRecord } from "../../records/audit-log.ts";
import type { NewEvent } from "../../records/event-rows.ts";
import { newStore, openTestStore, type StoreHarness } from "../store-harness.ts";

const record = (
  user: string,
  verb: AuditRecord["verb"],
  more: Partial<NewAuditRecord> = {},
): NewAuditRecord => ({
  actor: { user, token: "t", address: "10.0.0.1" },
  verb,
  outcome: "allowed",
  httpStatus: 200,
  requestId: `${user}-${verb}`,
  ...more,
});

const event = (name: string, reason: string, message = "Something happened."): NewEvent => ({
  type: "Warning",
  reason,
  message,
  regarding: { kind: "Cluster", name },
  source: "test",
});

export function recordsContract(harness: StoreHarness): void {
  describe("audit", () => {
    test("lists newest first, page by page, by every filter", async () => {
      const clock = new ManualClock();
      const { audit } = await newStore(harness, { clock });
      const startMs = clock.now();
      await audit.append([
        record("editor", "login"),
        record("viewer", "login", { outcome: "denied", httpStatus: 401 }),
      ]);
      await clock.advance(1_000);
      await audit.append([record("editor", "create", { kind: "Cluster", name: "a" })]);
      await clock.advance(1_000);
      await audit.append([record("editor", "delete", { kind: "Cluster", name: "a", message: "why" })]);

      const ids = async (query: Parameters<typeof audit.list>[0]): Promise<string[]> => {
        const { items, total } = await audit.list(query);
        expect(total).toBe(items.length);
        return items.map(({ requestId }) => requestId);
      };
      expect(await ids({})).toEqual(["editor-delete", "editor-create", "viewer-login", "editor-login"]);
      expect(await ids({ user: "viewer" })).toEqual(["viewer-login"]);
      expect(await ids({ verb: "login" })).toEqual(["viewer-login", "editor-login"]);
      expect(await ids({ outcome: "denied" })).toEqual(["viewer-login"]);
      expect(await ids({ kind: "Cluster", name: "a" })).toEqual(["editor-delete", "editor-create"]);
      expect(await ids({ fromMs: startMs + 1, untilMs: startMs + 1_001 })).toEqual(["editor-create"]);

      const first = await audit.list({ limit: 3 });
      expect(first.total).toBe(4);
      const second = await audit.list({ limit: 3, cursor: first.cursor });
      expect(second).toMatchObject({ total: 4, items: [{ requestId: "editor-login" }] });
      expect(second.cursor).toBeUndefined();
      await expect(audit.list({ cursor: first.cursor, user: "editor" })).rejects.toMatchObject({
        code: "InvalidArgument",
      });
      expect(first.items[0]).toMatchObject({
        actor: { user: "editor", token: "t", address: "10.0.0.1" },
        verb: "delete",
        kind: "Cluster",
        message: "why",
        at: new Date(clock.now()).toISOString(),
      });
    });

    test("finds what was done to a cluster and in it, by where and by what allowed it", async () => {
      const { audit } = await newStore(harness);
      const proxied = (requestId: string, name: string, proxy: NewAuditRecord["proxy"]): NewAuditRecord =>
        record("editor", "proxy", {
          kind: "Cluster",
          name,
          requestId,
          ...(proxy === undefined ? {} : { proxy }),
        });
      await audit.append([
        proxied("1", "prod", { verb: "get", resource: "pods", namespace: "shop", name: "web", grant: "dev" }),
        proxied("2", "prod", { verb: "list", resource: "pods", namespace: "shop", grant: "ops" }),
        proxied("3", "edge", { verb: "get", resource: "pods", namespace: "shop", name: "web", grant: "dev" }),
        proxied("4", "prod", { verb: "get", resource: "nodes", name: "web", grant: "ops" }),
        record("editor", "create", { kind: "JoinToken", name: "prod", requestId: "5" }),
        record("editor", "create", { kind: "Credential", name: "prod", requestId: "6" }),
        proxied("7", "prod", { verb: "get", path: "/version" }),
      ]);
      const ids = async (query: AuditQuery): Promise<string> => {
        const { items } = await audit.list(query);
        return items.map(({ requestId }) => requestId).join(" ");
      };
      expect(await ids({ cluster: "prod" })).toBe("7 5 4 2 1");
      expect(await ids({ namespace: "shop" })).toBe("3 2 1");
      expect(await ids({ resource: "nodes" })).toBe("4");
      expect(await ids({ object: "web" })).toBe("4 3 1");
      const object = { cluster: "prod", namespace: "shop", resource: "pods", object: "web" };
      expect(await ids(object)).toBe("1");
      expect(await ids({ ...object, user: "viewer" })).toBe("");
      expect(await ids({ grant: "dev" })).toBe("3 1");
      expect(await ids({ requestId: "6" })).toBe("6");
    });

    test("keeps what was asked of a cluster", async () => {
      const { audit } = await newStore(harness);
      const proxy = {
        verb: "list",
        group: "apps",
        resource: "deployments",
        namespace: "shop",
        grant: "developers",
        user: "editor",
        groups: ["bowline:developers"],
        requestBytes: 0,
        answerBytes: 2 ** 40,
        durationMs: 12,
      };
      await audit.append([record("editor", "proxy", { kind: "Cluster", name: "prod", proxy })]);
      await audit.append([record("editor", "read")]);
      const { items } = await audit.list({ user: "editor" });
      expect(items.map((item) => item.proxy)).toEqual([undefined, proxy]);
    });

    test("forgets what is too old, in as many steps as it takes", async () => {
      const clock = new ManualClock();
      const { audit, retention } = await newStore(harness, { clock });
      await audit.append(Array.from({ length: 1_100 }, () => record("editor", "read")));
      await clock.advance(2_000);
      await audit.append([record("viewer", "read")]);
      expect(await retention.prune({ auditMs: 1_000 })).toMatchObject({ audit: 1_100, events: 0 });
      expect(await audit.list()).toMatchObject({ total: 1, items: [{ actor: { user: "viewer" } }] });
    });
  });

  describe("events", () => {
    test("are folded by object, reason and message", async () => {
      const clock = new ManualClock();
      const { events } = await newStore(harness, { clock });
      const firstSeenAt = new Date(clock.now()).toISOString();
      await events.record([event("a", "Failed"), event("a", "Failed"), event("b", "Failed")]);
      await clock.advance(1_000);
      await events.record([event("a", "Failed"), event("a", "Failed", "Another message.")]);
      const { items, total } = await events.list({ kind: "Cluster", name: "a" });
      expect(total).toBe(2);
      expect(items.find(({ message }) => message === "Something happened.")).toMatchObject({
        count: 3,
        firstSeenAt,
        lastSeenAt: new Date(clock.now()).toISOString(),
      });
      expect(await events.list({ reason: "Other" })).toMatchObject({ items: [], total: 0 });
      expect((await events.list({ type: "Warning" })).total).toBe(3);
    });

    test("may repeat what a cluster has said, without what a database does not take", async () => {
      const { events } = await newStore(harness);
      await events.record([event("a", "FailedOver", "It is not programmed: a\0b \ud800")]);
      const { items } = await events.list({});
      expect(items.map(({ message }) => message)).toEqual(["It is not programmed: a\uFFFDb \uFFFD"]);
    });

    test("are listed with the latest first, page by page, and forgotten when they do not happen again", async () => {
      const clock = new ManualClock();
      const { events, retention } = await newStore(harness, { clock });
      for (const name of ["a", "b", "c"]) {
        await events.record([event(name, "Failed")]);
        await clock.advance(1_000);
      }
      await events.record([event("a", "Failed")]);
      const first = await events.list({ limit: 2 });
      const second = await events.list({ limit: 2, cursor: first.cursor });
      const names = [...first.items, ...second.items].map(({ regarding }) => regarding.name);
      expect(names).toEqual(["a", "c", "b"]);
      expect(await retention.prune({ eventsMs: 1_500 })).toMatchObject({ events: 1 });
      expect((await events.list()).items.map(({ regarding }) => regarding.name)).toEqual(["a", "c"]);
    });

    test("can be followed: what was told after a number, each as of the last time", async () => {
      const clock = new ManualClock();
      const { events, retention } = await newStore(harness, { clock });
      await events.record([event("a", "Failed"), event("b", "Failed")]);
      await events.record([event("a", "Failed"), event("a", "Failed")]);
      const read = async (after: number, limit?: number): Promise<unknown[]> => {
        const batch = await events.feed.read({ after, limit });
        const told = batch.items.map(({ revision, event: { regarding, count } }) => [
          revision,
          regarding.name,
          count,
        ]);
        return [...told, batch.position];
      };
      expect(await events.feed.head()).toBe(3);
      await clock.advance(2_000);
      await events.record([event("c", "Failed")]);
      expect(await read(2)).toEqual([[3, "a", 3], [4, "c", 1], 4]);
      expect(await read(2, 1)).toEqual([[3, "a", 3], 3]);
      expect(await read(4)).toEqual([4]);
      expect(await events.list({ limit: 1 })).toMatchObject({ resourceVersion: "4" });
      await expect(events.feed.read({ after: 5 })).rejects.toMatchObject({ code: "Expired" });

      expect(await retention.prune({ eventsMs: 1_000 })).toMatchObject({ events: 2 });
      await expect(events.feed.read({ after: 2 })).rejects.toMatchObject({ code: "Expired" });
      expect(await read(3)).toEqual([[4, "c", 1], 4]);
    });

    test("who reads all that was told finds every event as it is, however many tell at once", async () => {
      const database = await harness.newDatabase();
      const one = await openTestStore(database);
      const other = harness.canShare ? await openTestStore(database) : one;
      const telling = Promise.all(
        Array.from({ length: 30 }, (_, index) =>
          (index % 2 === 0 ? one : other).events.record([
            event(`n${index % 7}`, "Failed"),
            event(`n${(index + 3) % 7}`, "Failed"),
          ]),
        ),
      );
      const counts = new Map<string, number>();
      let after = 0;
      const read = async (): Promise<void> => {
        const batch = await one.events.feed.read({ after, limit: 5 });
        for (const { event: seen } of batch.items) counts.set(seen.id, seen.count);
        after = batch.position;
      };
      const progress = { isTold: false };
      const told = telling.then(() => (progress.isTold = true));
      while (!progress.isTold) {
        await read();
        await nextTurn();
      }
      await told;
      while (after !== (await one.events.feed.head())) await read();
      const { items } = await one.events.list();
      expect(counts).toEqual(new Map(items.map(({ id, count }) => [id, count])));
    });

    test("are all counted when they are told at the same moment", async () => {
      const database = await harness.newDatabase();
      const one = await openTestStore(database);
      const other = harness.canShare ? await openTestStore(database) : one;
      const told = Array.from({ length: 20 }, () => [
        one.events.record([event("a", "Failed"), event("b", "Failed")]),
        other.events.record([event("b", "Failed"), event("a", "Failed")]),
      ]);
      await Promise.all(told.flat());
      const { items } = await one.events.list();
      expect(items.map(({ count }) => count)).toEqual([40, 40]);
    });
  });
}
