import { Cluster } from "@bowline/api";
import { systemClock } from "@bowline/core";
import { ManualClock } from "@bowline/core/testing";
import { describe, expect, test } from "vitest";

import type { JoinAttempt } from "../../agents/join-transaction.ts";
import type { Store } from "../../store.ts";
import { cluster } from "../sample-objects.ts";
import { newStore, openTestStore, type StoreHarness } from "../store-harness.ts";

const hourMs = 3_600_000;
const uid = "0d3f0c2e-7a55-4c8e-9d5b-1a1b2c3d4e5f";
const attempt: JoinAttempt = { tokenHash: "t1", publicKey: "key-1", clusterUid: uid };

async function setup(harness: StoreHarness) {
  const clock = new ManualClock();
  const store = await newStore(harness, { clock, pollMs: 1_000 });
  await store.objects.create(Cluster, cluster("a"));
  await store.objects.create(Cluster, cluster("b"));
  return { clock, store, agents: store.agents };
}

async function addToken({ agents }: Pick<Store, "agents">, hash: string, name = "a", expiresAtMs = hourMs) {
  return agents.createJoinToken({ hash, cluster: name, expiresAtMs: new ManualClock().now() + expiresAtMs });
}

/** A record whose message says what came of an attempt. */
const audited = (message: string) =>
  ({ actor: {}, verb: "login", outcome: "allowed", httpStatus: 200, message, requestId: "r" }) as const;

export function agentsContract(harness: StoreHarness): void {
  describe("joining", () => {
    test("registers a key once, and answers the same agent again", async () => {
      const { store, agents } = await setup(harness);
      const { id } = await addToken(store, "t1");
      const first = await agents.join(attempt, ({ refusal = "joined" }) => audited(refusal));
      expect(first).toMatchObject({
        cluster: { id, name: "a" },
        agent: { clusterId: id, clusterName: "a", publicKey: "key-1", clusterUid: uid, generation: 1 },
      });
      expect(await agents.join(attempt)).toEqual(first);
      expect(await agents.find(first.agent?.id ?? "")).toEqual(first.agent);
      expect(await agents.find("nobody")).toBeUndefined();
      expect((await store.audit.list()).items).toMatchObject([{ message: "joined" }]);
    });

    test("refuses a token that is unknown, used by another, or has run out", async () => {
      const { clock, store, agents } = await setup(harness);
      await addToken(store, "t1");
      await addToken(store, "t2");
      const reasonOf = async (changes: Partial<JoinAttempt>) =>
        (await agents.join({ ...attempt, ...changes }, ({ refusal = "" }) => audited(refusal))).refusal;
      expect(await reasonOf({ tokenHash: "other" })).toBe("unknown-token");
      await agents.join(attempt);
      expect(await reasonOf({ publicKey: "key-2" })).toBe("used-token");
      expect(await reasonOf({ clusterUid: "another" })).toBe("used-token");
      await clock.advance(hourMs);
      expect(await reasonOf({ tokenHash: "t2", publicKey: "key-2" })).toBe("expired-token");
      expect(await reasonOf({})).toBeUndefined();
      const told = (await store.audit.list()).items.map(({ message }) => message);
      expect(told.toReversed()).toEqual(["unknown-token", "used-token", "used-token", "expired-token", ""]);
    });

    test("lets one agent win when a token is used twice at the same moment", async () => {
      const database = await harness.newDatabase();
      const one = await openTestStore(database);
      const other = harness.canShare ? await openTestStore(database) : one;
      await one.objects.create(Cluster, cluster("a"));
      await one.agents.createJoinToken({ hash: "t1", cluster: "a", expiresAtMs: systemClock.now() + hourMs });
      const outcomes = await Promise.all(
        Array.from({ length: 10 }, (_, index) =>
          (index % 2 === 0 ? one : other).agents.join({ ...attempt, publicKey: `key-${index}` }),
        ),
      );
      expect(outcomes.filter(({ refusal }) => refusal === undefined)).toHaveLength(1);
      expect(outcomes.filter(({ refusal }) => refusal === "used-token")).toHaveLength(9);
    });

    test("with a new token replaces the key, but only from the same cluster", async () => {
      const { store, agents } = await setup(harness);
      await addToken(store, "t1");
      await addToken(store, "t2");
      const first = await agents.join(attempt);
      const stranger = { tokenHash: "t2", publicKey: "key-2", clusterUid: "another" };
      expect(await agents.join(stranger)).toMatchObject({ refusal: "other-cluster", cluster: { name: "a" } });
      const second = await agents.join({ ...stranger, clusterUid: uid });
      expect(second.agent).toMatchObject({ generation: 2 });
      expect(second.agent?.id).not.toBe(first.agent?.id);
      expect(await agents.find(first.agent?.id ?? "")).toMatchObject({ revokedAtMs: expect.any(Number) });
      // The first key is not good for anything any more.
      expect(await agents.join(attempt)).toMatchObject({ refusal: "used-token" });
      await addToken(store, "t3");
      expect(await agents.join({ ...attempt, tokenHash: "t3" })).toMatchObject({ refusal: "used-key" });
      expect(await agents.join({ ...attempt, tokenHash: "t3", publicKey: "key-2" })).toEqual(second);
    });

    test("refuses a key that an agent of another Cluster has", async () => {
      const { store, agents } = await setup(harness);
      await addToken(store, "t1");
      await addToken(store, "t2", "b");
      await agents.join(attempt);
      expect(await agents.join({ ...attempt, tokenHash: "t2" })).toMatchObject({ refusal: "used-key" });
    });

    test("needs a Cluster that is there, and stays", async () => {
      const { store, agents } = await setup(harness);
      await expect(addToken(store, "t0", "nowhere")).rejects.toMatchObject({ code: "NotFound" });
      await addToken(store, "t1");
      await addToken(store, "t2");
      const { agent } = await agents.join(attempt);
      await store.objects.writeFinalizers(Cluster, "a", () => ["bowline.dev/deprovision"]);
      await store.objects.delete(Cluster, "a");
      await expect(addToken(store, "t3")).rejects.toMatchObject({ code: "Conflict", retryable: false });
      expect(await agents.join({ ...attempt, tokenHash: "t2" })).toMatchObject({ refusal: "unknown-token" });
      expect(await agents.findEnded([agent?.id ?? "", "nobody"])).toEqual(["nobody"]);
      await store.objects.writeFinalizers(Cluster, "a", () => []);
      // Another one of the same name has nothing to do with it.
      await store.objects.create(Cluster, cluster("a"));
      expect(await agents.join(attempt)).toMatchObject({ refusal: "unknown-token" });
      expect(await agents.findEnded([agent?.id ?? ""])).toEqual([agent?.id]);
      expect(await agents.find(agent?.id ?? "")).not.toHaveProperty("clusterName");
    });
  });

  describe("revoking", () => {
    test("takes the keys and the unused join tokens of one cluster", async () => {
      const { store, agents } = await setup(harness);
      for (const hash of ["t1", "t2"]) await addToken(store, hash);
      await addToken(store, "tb", "b");
      const { agent } = await agents.join(attempt);
      const other = await agents.join({ ...attempt, tokenHash: "tb", publicKey: "key-b" });
      const id = agent?.id ?? "";
      await store.leases.tryAcquire("gateway/one", "one", 60_000);
      const session = { id: "s1", clusterId: agent?.clusterId ?? "", lease: "gateway/one", openedAtMs: 1 };
      await agents.sessions.open([session]);
      const revoked = await agents.revoke("a", ({ agentIds }) => audited(`${agentIds.length} revoked`));
      expect(revoked).toEqual({
        cluster: { id: agent?.clusterId, name: "a" },
        agentIds: [id],
        joinTokens: 1,
      });
      expect(await agents.findEnded([id, other.agent?.id ?? ""])).toEqual([id]);
      expect(await agents.sessions.connectedSince(session.clusterId)).toBeUndefined();
      expect((await store.audit.list()).items[0]?.message).toBe("1 revoked");
      expect(await agents.join({ ...attempt, tokenHash: "t2", publicKey: "key-2" })).toMatchObject({
        refusal: "expired-token",
      });
      expect(await agents.revoke("a")).toMatchObject({ agentIds: [], joinTokens: 0 });
      await expect(agents.revoke("nowhere")).rejects.toMatchObject({ code: "NotFound" });
      // Nothing ties the Cluster to where the agent was any more.
      await addToken(store, "t4");
      const moved = { tokenHash: "t4", publicKey: "key-4", clusterUid: "another" };
      expect(await agents.join(moved)).toMatchObject({ agent: { generation: 2, clusterUid: "another" } });
    });

    test("what nobody can use any more is forgotten in time", async () => {
      const { clock, store, agents } = await setup(harness);
      await addToken(store, "t1");
      await addToken(store, "t2", "b", 10 * 24 * hourMs);
      const { agent } = await agents.join(attempt);
      await store.objects.delete(Cluster, "a");
      expect(await store.retention.prune({})).toMatchObject({ joinTokens: 0, agents: 1 });
      expect(await agents.find(agent?.id ?? "")).toBeUndefined();
      await clock.advance(8 * 24 * hourMs);
      expect(await store.retention.prune({})).toMatchObject({ joinTokens: 1, agents: 0 });
      expect(await agents.join({ ...attempt, tokenHash: "t2" })).toMatchObject({ cluster: { name: "b" } });
    });
  });

  describe("sessions of agents", () => {
    test("count while they are open and their replica lives", async () => {
      const { agents, leases, objects } = await newStore(harness);
      const { object } = await objects.create(Cluster, cluster("a"));
      const clusterId = object.metadata.id;
      const { sessions } = agents;
      const lease = await leases.tryAcquire("gateway/one", "one", 60_000);
      const session = { clusterId, lease: "gateway/one" };
      await sessions.open([
        { ...session, id: "s1", openedAtMs: 1_000 },
        { ...session, id: "s2", openedAtMs: 2_000 },
        { id: "s3", clusterId, lease: "gateway/never", openedAtMs: 500 },
        { id: "s4", clusterId: "gone", lease: "gateway/never", openedAtMs: 500 },
      ]);
      await sessions.open([{ ...session, id: "s2", openedAtMs: 2_000 }]);
      expect(await sessions.connectedSince(clusterId)).toBe(1_000);
      expect(await sessions.connectedSince("gone")).toBeUndefined();
      expect(await sessions.listAbandoned(10)).toEqual([
        { id: "s3", clusterId, clusterName: "a" },
        { id: "s4", clusterId: "gone" },
      ]);
      expect(await sessions.listAbandoned(1)).toHaveLength(1);
      await sessions.close(["s1"], session.lease);
      expect(await sessions.connectedSince(clusterId)).toBe(2_000);
      await sessions.remove(["s1", "s3", "s4"], session.lease);
      expect(await sessions.listAbandoned(10)).toEqual([]);
      await sessions.close(["s2"], session.lease);
      await leases.release("gateway/one", lease?.token ?? 0);
      expect(await sessions.connectedSince(clusterId)).toBeUndefined();
      // It was closed, but nobody has told.
      expect(await sessions.listAbandoned(10)).toMatchObject([
        { id: "s2", leaseEndedAtMs: expect.any(Number) },
      ]);
      await sessions.close([], session.lease);
      await sessions.remove([], session.lease);
    });

    test("of a replica that was taken for dead stay when it comes back before others have ended them", async () => {
      const { agents, leases, objects } = await newStore(harness);
      const { object } = await objects.create(Cluster, cluster("a"));
      const session = { id: "s1", clusterId: object.metadata.id, lease: "gateway/one", openedAtMs: 1_000 };
      const { sessions } = agents;
      await sessions.open([session]);
      const abandoned = (await sessions.listAbandoned(10)).map(({ id }) => id);
      expect(abandoned).toEqual(["s1"]);
      await sessions.close(abandoned, "gateway/two");
      expect(await sessions.connectedSince(session.clusterId)).toBeUndefined();
      await leases.tryAcquire("gateway/one", "one", 60_000);
      await sessions.open([session]);
      await sessions.close(abandoned, "gateway/two");
      await sessions.remove(abandoned, "gateway/two");
      expect(await sessions.connectedSince(session.clusterId)).toBe(1_000);
    });
  });

  describe("replicas", () => {
    const one = {
      id: "one",
      lease: "gateway/one",
      url: "https://10.0.0.1:7443",
      agentUrls: ["https://a", "https://b"],
    };
    const two = { id: "two", lease: "gateway/two", url: "https://10.0.0.2:7443", agentUrls: ["https://a"] };

    test("are known while they live and until they leave, and so is which of them holds an agent", async () => {
      const { agents, leases, objects } = await newStore(harness);
      const { replicas, sessions } = agents;
      const { object } = await objects.create(Cluster, cluster("a"));
      const clusterId = object.metadata.id;
      for (const { lease, id } of [one, two]) await leases.tryAcquire(lease, id, 60_000);
      await replicas.register({ ...one, url: "https://10.0.0.9:7443" });
      await replicas.register(one);
      await replicas.register(two);
      expect(await replicas.list()).toEqual([one, two]);

      await sessions.open([
        { id: "s1", clusterId, lease: one.lease, openedAtMs: 1 },
        { id: "s2", clusterId, lease: two.lease, openedAtMs: 2 },
        { id: "s3", clusterId, lease: two.lease, openedAtMs: 3 },
        { id: "s4", clusterId: "another", lease: one.lease, openedAtMs: 4 },
      ]);
      expect(await replicas.holdersOf("a")).toEqual([two, one]);
      expect(await replicas.holdersOf("b")).toEqual([]);
      const held = [
        { id: "s1", cluster: "a", replica: "one", openedAtMs: 1 },
        { id: "s2", cluster: "a", replica: "two", openedAtMs: 2 },
        { id: "s3", cluster: "a", replica: "two", openedAtMs: 3 },
      ];
      expect(await sessions.listOpen({ limit: 10 })).toEqual(held);
      expect(await sessions.listOpen({ cluster: "a", limit: 2 })).toEqual(held.slice(0, 2));
      expect(await sessions.listOpen({ cluster: "b", limit: 10 })).toEqual([]);
      await sessions.close(["s1"], one.lease);
      expect(await replicas.holdersOf("a")).toEqual([two]);
      await replicas.remove(two.id);
      expect(await sessions.listOpen({ limit: 10 })).toEqual([
        { id: "s2", cluster: "a", openedAtMs: 2 },
        { id: "s3", cluster: "a", openedAtMs: 3 },
      ]);
      expect(await replicas.holdersOf("a")).toEqual([]);
      expect(await replicas.list()).toEqual([one]);
    });

    test("that died are forgotten by those that come after them", async () => {
      const { agents, leases } = await newStore(harness);
      const { replicas } = agents;
      const lease = await leases.tryAcquire(one.lease, one.id, 60_000);
      await leases.tryAcquire(two.lease, two.id, 60_000);
      await replicas.register(one);
      await leases.release(one.lease, lease?.token ?? 0);
      expect(await replicas.list()).toEqual([]);
      await replicas.register(two);
      await leases.tryAcquire(one.lease, one.id, 60_000);
      expect(await replicas.list()).toEqual([two]);
    });
  });
}
