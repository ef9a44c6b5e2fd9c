import { Cluster } from "@bowline/api";
import { systemClock } from "@bowline/core";
import { ManualClock } from "@bowline/core/testing";
import type { DatabaseOptions } from "@bowline/store";
import { postgresSchemas, openTestStore } from "@bowline/store/testing";
import { describe, expect, test } from "vitest";

import { openTestGateway } from "../testing/gateway-harness.ts";
import { gatherDelayMs } from "./presence-writer.ts";
import { withPresence, type Presence } from "./presence.ts";

const never: Presence = { connectedSinceMs: undefined, seen: undefined, end: undefined };

const seen = { version: "1.0", kubernetesVersion: "v1.36.0", clusterUid: "u", atMs: 5_000, rttMs: 12 };

async function newCluster(): Promise<Cluster> {
  const store = await openTestStore({ type: "sqlite", file: ":memory:" });
  const metadata = { name: "edge", labels: {}, annotations: {} };
  return (await store.objects.create(Cluster, { metadata, spec: { provider: "existing" } })).object;
}

describe("the status of a Cluster", () => {
  test("says what is known of the agent, and why it is not connected", async () => {
    const cluster = await newCluster();
    const connected = withPresence(cluster, { ...never, connectedSinceMs: 1_000, seen }, 6_000);
    expect(connected).toMatchObject({
      agent: {
        version: "1.0",
        connectedSince: "1970-01-01T00:00:01.000Z",
        lastSeenAt: "1970-01-01T00:00:05.000Z",
        rttMs: 12,
      },
      kubernetesVersion: "v1.36.0",
      clusterUid: "u",
    });
    const gone = withPresence({ ...cluster, status: connected }, { ...never, seen, end: "silent" }, 60_000);
    expect(gone.agent).toEqual({ version: "1.0", lastSeenAt: "1970-01-01T00:00:05.000Z" });
    expect(gone.conditions).toContainEqual(
      expect.objectContaining({
        type: "AgentConnected",
        status: "False",
        reason: "HeartbeatMissed",
        message: expect.stringContaining("last heard from at 1970-01-01T00:00:05.000Z"),
      }),
    );
  });

  test("keeps a reason that says more than the end of a server", async () => {
    const cluster = await newCluster();
    const revoked = withPresence(cluster, { ...never, seen, end: "revoked" }, 1_000);
    const later = withPresence({ ...cluster, status: revoked }, { ...never, end: "abandoned" }, 2_000);
    expect(later.conditions).toContainEqual(
      expect.objectContaining({
        reason: "Revoked",
        message: expect.stringContaining("with `bowline cluster rotate edge`."),
      }),
    );
  });

  test("does not go back in time with a clock that does", async () => {
    const cluster = await newCluster();
    const first = withPresence(cluster, { ...never, connectedSinceMs: 1, seen }, 6_000);
    const earlier = { ...seen, atMs: 2_000 };
    const second = withPresence(
      { ...cluster, status: first },
      { ...never, connectedSinceMs: 1, seen: earlier },
      3_000,
    );
    expect(second.agent?.lastSeenAt).toBe(first.agent?.lastSeenAt);
  });
});

describe("an agent that stays connected", () => {
  test("has when it was last heard from written by its end", async () => {
    const clock = new ManualClock(Date.now());
    const harness = await openTestGateway({ clock });
    const session = await (await harness.joinedAgent("edge")).open({ nowMs: clock.now() });
    for (let beats = 0; beats < 24; beats++) {
      await clock.advance(5_000);
      await session.beat();
    }
    const lastBeatMs = clock.now();
    session.http2.destroy();
    await expect
      .poll(async () => {
        await clock.advance(1_000);
        return (await harness.cluster("edge")).status.agent?.lastSeenAt;
      })
      .toBe(new Date(lastBeatMs).toISOString());
  });

  test("is no news: its heartbeats change nothing in the status", async () => {
    const cluster = await newCluster();
    const status = withPresence(cluster, { ...never, connectedSinceMs: 1_000, seen }, 5_000);
    const later = { ...never, connectedSinceMs: 1_000, seen: { ...seen, atMs: 3_600_000, rttMs: 30 } };
    expect(withPresence({ ...cluster, status }, later, 3_600_000)).toEqual(status);
    const again = withPresence({ ...cluster, status }, { ...later, connectedSinceMs: 2_000 }, 3_600_000);
    expect(again.agent).toMatchObject({ lastSeenAt: "1970-01-01T01:00:00.000Z", rttMs: 30 });
  });

  test("has its round trip written again when that is another", async () => {
    const cluster = await newCluster();
    const told = (before: number, rttMs: number): number | undefined => {
      const connected = { ...never, connectedSinceMs: 1_000 };
      const status = withPresence(cluster, { ...connected, seen: { ...seen, rttMs: before } }, 5_000);
      const later = { ...connected, seen: { ...seen, rttMs, atMs: 90_000 } };
      return withPresence({ ...cluster, status }, later, 90_000).agent?.rttMs;
    };
    expect([told(1, 51), told(1, 52)]).toEqual([1, 52]);
    expect([told(200, 100), told(200, 99), told(200, 400), told(200, 401)]).toEqual([200, 99, 200, 401]);
  });
});

describe("replicas on one database", () => {
  const schemas = postgresSchemas();
  const newDatabase = async (): Promise<DatabaseOptions> => ({
    type: "postgres",
    url: await schemas.create(),
  });

  test("agree about an agent that moves from one to the other", async () => {
    const database = await newDatabase();
    const [one, other] = [await openTestGateway({ database }), await openTestGateway({ database })];
    const agent = await one.joinedAgent("edge");
    const first = await agent.open();
    await expect.poll(() => one.agentReason("edge")).toBe("Connected");
    const second = await agent.openAt(other);
    const since = async () => (await one.cluster("edge")).status.agent?.connectedSince;
    const before = await since();
    first.http2.destroy();
    await expect.poll(since).not.toBe(before);
    await expect.poll(() => one.agentReason("edge")).toBe("Connected");
    second.http2.destroy();
    await expect.poll(() => one.agentReason("edge")).toBe("Disconnected");
    expect(await one.store.agents.sessions.listAbandoned(10)).toEqual([]);
  });

  test("end each other's sessions when an agent is revoked", async () => {
    const database = await newDatabase();
    const [one, other] = [await openTestGateway({ database }), await openTestGateway({ database })];
    const agent = await one.joinedAgent("edge");
    const session = await agent.open();
    await expect.poll(() => one.agentReason("edge")).toBe("Connected");
    other.gateway.revoked(await other.store.agents.revoke("edge"));
    expect(await session.ended).toMatchObject({ code: "Forbidden" });
    await expect.poll(() => one.agentReason("edge")).toBe("Revoked");
  });

  test("say that the agents of one that died are gone, but not those that have moved", async () => {
    const store = await openTestStore(await newDatabase());
    const make = async (name: string): Promise<string> => {
      const metadata = { name, labels: {}, annotations: {} };
      const { object } = await store.objects.create(Cluster, { metadata, spec: { provider: "existing" } });
      await store.objects.writeStatus(Cluster, name, ({ status }) =>
        withPresence(
          { ...object, status },
          {
            connectedSinceMs: 1_000,
            seen: {
              version: "1",
              kubernetesVersion: "",
              clusterUid: object.metadata.id,
              atMs: 1_000,
              rttMs: 1,
            },
            end: undefined,
          },
          1_000,
        ),
      );
      return object.metadata.id;
    };
    const [left, moved] = [await make("left"), await make("moved")];
    await store.leases.tryAcquire("gateway/alive", "alive", 60_000);
    const dead = await store.leases.tryAcquire("gateway/dead", "dead", 60_000);
    const beforeMs = systemClock.now();
    await store.leases.release("gateway/dead", dead?.token ?? 0);
    const afterMs = systemClock.now();
    await store.agents.sessions.open([
      { id: "s1", clusterId: left, lease: "gateway/dead", openedAtMs: 1_000 },
      { id: "s2", clusterId: moved, lease: "gateway/dead", openedAtMs: 1_000 },
      { id: "s3", clusterId: moved, lease: "gateway/alive", openedAtMs: 9_000 },
    ]);
    const clock = new ManualClock(systemClock.now());
    const harness = await openTestGateway({ clock, store });
    await expect
      .poll(async () => {
        await clock.advance(5_000);
        return store.agents.sessions.listAbandoned(10);
      })
      .toEqual([]);
    expect(await harness.agentReason("left")).toBe("Disconnected");
    // Its lease ended when it was given back, so it was renewed half a minute before. The database may round up.
    const { lastSeenAt = "" } = (await harness.cluster("left")).status.agent ?? {};
    expect(Date.parse(lastSeenAt) + 30_000).toBeGreaterThanOrEqual(beforeMs);
    expect(Date.parse(lastSeenAt) + 30_000).toBeLessThanOrEqual(afterMs + 1);
    expect(await harness.agentReason("moved")).toBe("Connected");
    expect((await harness.cluster("moved")).status.agent?.connectedSince).toBe("1970-01-01T00:00:09.000Z");
  });

  test("write their sessions down again after they were thought dead", async () => {
    const database = await newDatabase();
    const clock = new ManualClock(systemClock.now());
    const store = await openTestStore(database);
    const harness = await openTestGateway({ clock, store });
    const session = await (await harness.joinedAgent("edge")).open({ nowMs: clock.now() });
    const advance = async (): Promise<string | undefined> => {
      await clock.advance(1_000);
      await session.beat();
      return harness.agentReason("edge");
    };
    await expect.poll(advance).toBe("Connected");
    // Another replica has taken them over.
    const { id } = (await harness.cluster("edge")).metadata;
    const key = `gateway/${harness.owner}`;
    const { token = 0 } = (await store.leases.tryAcquire(key, harness.owner, 30_000)) ?? {};
    await store.leases.release(key, token);
    const abandoned = await store.agents.sessions.listAbandoned(10);
    expect(abandoned).toMatchObject([{ clusterId: id }]);
    await store.agents.sessions.remove(
      abandoned.map((session) => session.id),
      "gateway/another",
    );
    expect(await store.agents.sessions.connectedSince(id)).toBeUndefined();
    await expect
      .poll(async () => {
        await advance();
        return store.agents.sessions.connectedSince(id);
      })
      .toBeDefined();
  });
});

test("few are written at once, many together, and nobody waits for long", () => {
  expect([0, 1, 5, 50, 125, 2_000].map(gatherDelayMs)).toEqual([20, 20, 20, 200, 500, 500]);
});
