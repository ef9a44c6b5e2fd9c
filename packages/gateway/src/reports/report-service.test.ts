import { WorkloadDefinition, WorkloadInstance, WorkloadPlacement } from "@bowline/api";
import { BowlineError } from "@bowline/core";
import type { ReportTopic } from "@bowline/protocol";
import { definition, instance, placement } from "@bowline/store/testing";
import { describe, expect, test, vi } from "vitest";

import { openTestGateway, type GatewayHarness, type HarnessOptions } from "../testing/gateway-harness.ts";
import type { TestAgent } from "../testing/test-agent.ts";
import { gone, observed, observedEvent, TestReport } from "../testing/test-report.ts";

/** A gateway with an agent of the cluster `edge`, in which the instance `web` is placed. */
async function setup(options: HarnessOptions = {}) {
  const changed = vi.fn();
  const harness = await openTestGateway({ ...options, reportSink: { changed } });
  const agent = await harness.joinedAgent("edge");
  await place(harness, "web", "edge");
  const { id: clusterId } = (await harness.cluster("edge")).metadata;
  const uids = async (workload = "web"): Promise<string[]> =>
    (await harness.store.reports.list({ clusterId, workload })).items.map(({ uid }) => uid);
  return { harness, agent, changed, clusterId, uids, ...(await openReport(agent)) };
}

async function openReport(agent: TestAgent) {
  const session = await agent.open();
  return { session, report: new TestReport(agent, session) };
}

async function place({ store: { objects } }: GatewayHarness, name: string, cluster: string): Promise<void> {
  await objects.write(WorkloadDefinition, "shop", () => definition("shop"));
  await objects.create(WorkloadInstance, instance(name, "shop", [cluster]));
  await objects.create(WorkloadPlacement, placement(name, cluster, "shop"));
}

describe("a report", () => {
  test("is stored batch by batch, and whoever judges is told what has changed", async () => {
    const { report, changed, clusterId, uids, harness } = await setup();
    expect(await report.begin(1)).toMatchObject({
      storedSequence: 0n,
      complete: false,
      maxUnacknowledged: 4,
      maxItems: 500,
    });
    const cluster = { id: clusterId, name: "edge" };
    expect(changed.mock.calls).toEqual([[cluster, "all"]]);
    const facts = '{"facts":1,"kind":"Pod","more":"as it was sent"}';
    expect(await report.batch(1, observed("u1"), observed("u2", { facts, ownerUid: "u1" }))).toMatchObject({
      sequence: 1n,
      refused: [],
    });
    expect(changed).toHaveBeenLastCalledWith(cluster, new Set(["web"]));
    await report.batch(2, gone("u1"), observedEvent("e1"));
    expect(await report.complete(3)).toMatchObject({ sequence: 3n });
    expect(changed).toHaveBeenLastCalledWith(cluster, "all");
    expect(await uids()).toEqual(["u2"]);
    expect((await harness.store.reports.list({ clusterId, workload: "web" })).items[0]).toMatchObject({
      group: "apps",
      version: "v1",
      kind: "Deployment",
      namespace: "shop",
      ownerUid: "u1",
      facts,
    });
    expect(await harness.store.events.list({ instance: "web" })).toMatchObject({
      total: 1,
      items: [{ reason: "BackOff", regarding: { cluster: "edge" } }],
    });
  });

  test("goes on where it was when the connection broke between storing and saying so", async () => {
    const { report, session, agent, harness, uids } = await setup();
    await report.begin(1);
    const { reports } = harness.store;
    const store = reports.store.bind(reports);
    vi.spyOn(reports, "store").mockImplementationOnce(async (batch) => {
      const stored = await store(batch);
      session.http2.destroy();
      return stored;
    });
    report.sendBatch(1, [observed("u1"), observedEvent("e1")]);
    await report.failure();
    const next = await openReport(agent);
    expect(await next.report.begin(1)).toMatchObject({ storedSequence: 1n, complete: false });
    // An agent that did not ask sends it again.
    expect(await next.report.batch(1, observed("u1"), observedEvent("e1"))).toMatchObject({ refused: [] });
    await next.report.batch(2, observed("u2"));
    expect(await uids()).toEqual(["u1", "u2"]);
    expect((await harness.store.events.list({ instance: "web" })).items).toMatchObject([{ count: 1 }]);
    expect(await harness.store.events.feed.read({ after: 0 })).toMatchObject({
      items: expect.arrayContaining([expect.objectContaining({ kind: "Pod" })]),
    });
  });

  test("of an agent that took over ends the one before", async () => {
    const { report, agent, uids } = await setup();
    await report.begin(1);
    await report.batch(1, observed("u1"));
    const other = await openReport(agent);
    await other.report.begin(2, "pod-2");
    await other.report.batch(1, observed("u2"));
    report.sendBatch(2, [observed("u3")]);
    expect(await report.failure()).toMatchObject({ code: "Expired" });
    await other.report.complete(2);
    expect(await uids()).toEqual(["u2"]);
    const late = await openReport(agent);
    await expect(late.report.begin(1)).rejects.toMatchObject({ code: "Expired" });
  });

  test("tells of each item that is not stored why, and stores the others", async () => {
    const { report, harness, uids } = await setup();
    await place(harness, "other", await otherCluster(harness));
    await report.begin(1);
    const { refused } = await report.batch(
      1,
      observed(""),
      observed("u1", { workload: "unknown" }),
      observed("u2", { workload: "other" }),
      observed("u3", { facts: "[]" }),
      observed("u4", { facts: JSON.stringify({ long: "x".repeat(200_000) }) }),
      observed("u5", { kind: "Deploy\u001Bment" }),
      observed("u6", { kind: "x".repeat(100) }),
      observed("u".repeat(1_000)),
      { item: { case: "view", value: { name: "pods", numbers: {} } } },
      {},
      observed("good"),
    );
    expect(refused.map(({ index, reason }) => [index, reason.split(" ").slice(0, 4).join(" ")])).toEqual([
      [0, "The object has no"],
      [1, "No WorkloadInstance of this"],
      [2, "No WorkloadInstance of this"],
      [3, "The facts are not"],
      [4, "The facts are longer"],
      [5, "The kind, the namespace"],
      [6, "The kind, the namespace"],
      [7, "The object has no"],
      [8, "This server does not"],
      [9, "This server does not"],
    ]);
    expect(await uids()).toEqual(["good"]);
  });

  test("keeps an Event whatever the cluster has put into it, in a form that people can read", async () => {
    const { report, harness } = await setup();
    await report.begin(1);
    const future = { seconds: 250_000_000_000n };
    const { refused } = await report.batch(
      1,
      observedEvent("e1", {
        reason: "not-a word\u001B[31m",
        message: `red \u001B[31m\nalert ${"x".repeat(10_000)}`,
        type: "Odd",
        workload: "unknown",
        regarding: { kind: "My-Kind", name: "a\u0007b", uid: "node-1", namespace: "" },
        count: 0,
        firstSeenAt: future,
        lastSeenAt: future,
      }),
      observedEvent("e2", { reason: "", regarding: {}, message: "" }),
    );
    expect(refused).toEqual([]);
    const { items } = await harness.store.events.list({ cluster: "edge" });
    const odd = items.find(({ regarding }) => regarding.kind === "My_Kind");
    expect(odd).toMatchObject({ type: "Normal", reason: "not_a_word__31m", count: 1 });
    expect(odd?.regarding).toEqual({ kind: "My_Kind", name: "a b", cluster: "edge" });
    expect(odd).not.toHaveProperty("instance");
    expect(odd?.message).toMatch(/^red +\[31m alert x+$/u);
    expect(odd?.message).toHaveLength(4_096);
    expect(Date.parse(odd?.lastSeenAt ?? "")).toBeLessThanOrEqual(Date.now());
    expect(items.some(({ reason }) => reason === "Unknown")).toBe(true);
  });

  test("of a placement that another replica has just made is taken", async () => {
    const { report, harness, uids } = await setup();
    await report.begin(1);
    vi.spyOn(harness.store.changes, "follow").mockImplementation(() => {
      throw new BowlineError("DatabaseUnavailable", "not now");
    });
    await place(harness, "late", "edge");
    expect(await report.batch(1, observed("u1", { workload: "late" }))).toMatchObject({ refused: [] });
    expect(await uids("late")).toEqual(["u1"]);
  });

  test("ends with its session, and is refused without one", async () => {
    const { report, session, agent } = await setup();
    await report.begin(1);
    session.leave();
    expect(await report.failure()).toMatchObject({ code: "ConnectionFailed" });
    await session.ended;
    await expect(new TestReport(agent, session).begin(1)).rejects.toMatchObject({ code: "Conflict" });
  });

  test("about a topic that nobody knows is refused, and ends no other", async () => {
    const { report, agent, session, uids } = await setup();
    await report.begin(1);
    const unknown = new TestReport(agent, session);
    // Of a later version; this one has no word for it.
    const topic = 7 as ReportTopic;
    await expect(unknown.begin(7, "pod-1", topic)).rejects.toMatchObject({ code: "InvalidArgument" });
    await report.batch(1, observed("u1"));
    const later = new TestReport(agent, session);
    expect(await later.begin(1)).toMatchObject({ storedSequence: 1n });
    expect(await report.failure()).toMatchObject({ code: "Cancelled" });
    expect(await uids()).toEqual(["u1"]);
  });

  test("ends when the key of the agent is revoked", async () => {
    const { report, harness, uids } = await setup();
    await report.begin(1);
    harness.gateway.revoked(await harness.store.agents.revoke("edge"));
    await report.failure();
    report.sendBatch(1, [observed("u1")]);
    expect(await uids()).toEqual([]);
  });

  test("breaks the protocol with a gap, a batch that is too large, or an epoch that is none", async () => {
    const { report, agent } = await setup();
    await report.begin(1);
    report.sendBatch(2, [observed("u1")]);
    expect(await report.failure()).toMatchObject({ code: "ProtocolViolation" });
    const large = await openReport(agent);
    await large.report.begin(1);
    large.report.sendBatch(
      1,
      Array.from({ length: 501 }, (_, index) => observed(`u${index}`)),
    );
    expect(await large.report.failure()).toMatchObject({ code: "ProtocolViolation" });
    await expect((await openReport(agent)).report.begin(0)).rejects.toMatchObject({
      code: "InvalidArgument",
    });
  });

  test("cannot claim a time so far ahead that nobody could report after it", async () => {
    const { agent } = await setup();
    const [day, nowMs] = [86_400_000, Date.now()];
    for (const epoch of [nowMs + 31 * day, Number.MAX_SAFE_INTEGER]) {
      await expect((await openReport(agent)).report.begin(epoch)).rejects.toMatchObject({
        code: "InvalidArgument",
        message: expect.stringContaining("Set the clock"),
      });
    }
    await (await openReport(agent)).report.begin(nowMs + 30 * day, "pod-1");
    // The farthest leap of an agent whose clock is right.
    await (await openReport(agent)).report.begin(Date.now() + 30 * day + 1, "pod-2");
  });

  test("waits for a database that is slow, and holds no more batches than it allowed", async () => {
    const { report, harness } = await setup();
    await report.begin(1);
    const { reports } = harness.store;
    const held = Promise.withResolvers<void>();
    const store = vi.spyOn(reports, "store").mockImplementation(async () => {
      await held.promise;
      return { isNew: true, refused: [], workloads: new Set() };
    });
    for (let sequence = 1; sequence <= 10; sequence++) report.sendBatch(sequence, [observed("u1")]);
    await expect.poll(() => store.mock.calls.length).toBe(4);
    held.resolve();
    for (let sequence = 1; sequence <= 10; sequence++) {
      expect(await report.ack()).toMatchObject({ sequence: BigInt(sequence) });
    }
    expect(store).toHaveBeenCalledTimes(10);
  });

  test("fails when the database cannot be reached, and nothing is acknowledged", async () => {
    const { report, harness, agent, uids } = await setup();
    await report.begin(1);
    vi.spyOn(harness.store.reports, "store").mockRejectedValueOnce(
      new BowlineError("DatabaseUnavailable", "gone"),
    );
    report.sendBatch(1, [observed("u1")]);
    expect(await report.failure()).toMatchObject({ code: "DatabaseUnavailable" });
    const again = await openReport(agent);
    expect(await again.report.begin(1)).toMatchObject({ storedSequence: 0n });
    await again.report.batch(1, observed("u1"));
    expect(await uids()).toEqual(["u1"]);
  });
});

async function otherCluster(harness: GatewayHarness): Promise<string> {
  return (await harness.createCluster("elsewhere")).metadata.name;
}
