import { AgentSessionList, Cluster, createValidator } from "@bowline/api";
import { cluster, openTestStore } from "@bowline/store/testing";
import { expect, test } from "vitest";

import { startRecordApi, type RecordApi } from "../testing/record-api.ts";
import { agentSessionRoutes, type AgentSessionRoutesOptions } from "./agent-session-routes.ts";

const validate = createValidator(AgentSessionList);
const ids = ["019b7a3c-5e2a-7c1e-9b6d-3f1c5a9e2d41", "019b7a3c-5e2a-7c1e-9b6d-3f1c5a9e2d42"] as const;

const here = {
  id: ids[0],
  facts: { agentVersion: "1.2.3", kubernetesVersion: "v1.36.0", instance: "pod-1", configVersion: "" },
  seenAtMs: Date.UTC(2026, 0, 1, 0, 5),
  rttMs: 7,
  isDraining: false,
  figures: {
    tunnels: 2,
    streams: 3,
    receivedBytes: 5_000,
    sentBytes: 400,
    heldBytes: 0,
    roundTripsMs: [9, 7],
  },
};

const gateway: AgentSessionRoutesOptions["gateway"] = {
  replica: "one",
  sessions: (name) => (name === "east" || name === undefined ? [here] : []),
  endedSessions: (name) =>
    name === "east" ? [{ id: ids[1], cluster: "east", openedAtMs: 0, endedAtMs: 60_000, end: "silent" }] : [],
};

/** `east` is connected to this replica and to another one, `west` to none. */
async function setup(over: AgentSessionRoutesOptions["gateway"] = gateway): Promise<RecordApi> {
  const store = await openTestStore({ type: "sqlite", file: ":memory:" });
  const { object } = await store.objects.create(Cluster, cluster("east"));
  await store.objects.create(Cluster, cluster("west"));
  const { sessions, replicas } = store.agents;
  for (const [index, id] of ["one", "two"].entries()) {
    const lease = `gateway/${id}`;
    await store.leases.tryAcquire(lease, id, 60_000);
    await replicas.register({ id, lease, url: "https://10.0.0.1", agentUrls: [] });
    await sessions.open([{ id: ids[index] ?? "", clusterId: object.metadata.id, lease, openedAtMs: 1_000 }]);
  }
  return startRecordApi(store, () => [
    agentSessionRoutes({ objects: store.objects, sessions, gateway: over }),
  ]);
}

test("lists the sessions of all replicas, and the numbers of those that this one holds", async () => {
  const { get } = await setup();
  const { body } = await get("/api/v1/agent-sessions", "viewer");
  expect(validate(body)).toMatchObject({ ok: true });
  const openedAt = "1970-01-01T00:00:01.000Z";
  expect(body).toEqual({
    metadata: { replica: "one", withoutNumbers: 1 },
    items: [
      {
        id: ids[0],
        cluster: "east",
        replica: "one",
        openedAt,
        numbers: {
          agentVersion: "1.2.3",
          instance: "pod-1",
          lastSeenAt: "2026-01-01T00:05:00.000Z",
          rttMs: 7,
          isDraining: false,
          ...here.figures,
        },
      },
      { id: ids[1], cluster: "east", replica: "two", openedAt },
    ],
  });
});

test("of one cluster also tells how its last sessions ended", async () => {
  const { get } = await setup();
  const { body } = await get("/api/v1/agent-sessions?cluster=east", "viewer");
  expect(validate(body)).toMatchObject({ ok: true });
  expect(body).toMatchObject({
    items: [{ cluster: "east" }, { cluster: "east" }],
    ended: [
      {
        end: "silent",
        message: "Three heartbeats of the agent were missing.",
        endedAt: "1970-01-01T00:01:00.000Z",
      },
    ],
  });
  expect((await get("/api/v1/agent-sessions?cluster=west")).body).toMatchObject({ items: [], ended: [] });
  expect(await get("/api/v1/agent-sessions?cluster=north")).toMatchObject({ status: 404 });
  expect(await get("/api/v1/agent-sessions?name=west")).toMatchObject({ status: 400 });
  expect(await get("/api/v1/agent-sessions", "nobody")).toMatchObject({ status: 401 });
});
