import { Cluster, streamInitialCredit, streamProtocol } from "@bowline/api";
import { startKubesim } from "@bowline/kubesim";
import { agentSide } from "@bowline/gateway/testing";
import type { Store } from "@bowline/store";
import { cluster } from "@bowline/store/testing";
import { describe, expect, onTestFinished, test } from "vitest";

import { openStreams, type StreamHarness } from "./testing/stream-harness.ts";

const clusters = "/api/v1/clusters?watch=1";
const tables = "application/json;as=Table;v=v1;g=meta.k8s.io";

async function writeCluster(store: Store, name: string): Promise<void> {
  await store.objects.write(Cluster, name, () => cluster(name));
}

describe("a stream", () => {
  test("carries requests as if each had been made alone", async () => {
    const { connect } = await openStreams();
    const client = await connect();
    const one = client.get("/api/v1/clusters/prod");
    const other = client.get("/api/v1/clusters/none");
    await one.whole();
    await other.whole();
    expect(one).toMatchObject({ hasEnded: true, error: undefined });
    expect(one.answer).toMatchObject({
      status: 200,
      headers: { "content-type": "application/json; charset=utf-8", "x-request-id": expect.any(String) },
    });
    expect(one.answer?.headers).not.toHaveProperty("connection");
    expect(JSON.parse(one.text)).toMatchObject({ kind: "Cluster", metadata: { name: "prod" } });
    expect(other.answer?.status).toBe(404);
    expect(JSON.parse(other.text)).toMatchObject({
      error: { code: "NotFound", requestId: other.answer?.headers["x-request-id"] },
    });
  });

  test("watches kinds, and goes on from where another has been", async () => {
    const { connect, store } = await openStreams();
    const first = await connect();
    const watch = await first.get(clusters).untilEvent("BOOKMARK");
    await writeCluster(store, "second");
    await watch.until(({ events }) =>
      events.some(({ data }) => data["type"] === "ADDED" && isOf(data, "second")),
    );
    const seen = watch.events.at(-1)?.id;
    first.socket.terminate();
    await writeCluster(store, "third");
    const again = (await connect()).get(`${clusters}&resourceVersion=${seen}`);
    await again.until(({ events }) => events.some(({ data }) => isOf(data, "third")));
    expect(again.events.filter(({ data }) => data["type"] === "ADDED")).toHaveLength(1);
  });

  test("tells of events as they happen", async () => {
    const { connect, store } = await openStreams();
    const watch = await (await connect()).get("/api/v1/events?watch=1").untilEvent("BOOKMARK");
    const regarding = { kind: "Cluster", name: "prod" };
    await store.events.record([
      { type: "Warning", reason: "Lost", message: "It is lost.", source: "test", regarding },
    ]);
    await watch.untilEvent("ADDED");
    expect(watch.events.at(-1)?.data).toMatchObject({ object: { reason: "Lost", regarding } });
  });

  test("belongs to whom its connection does, whatever a request says", async () => {
    const { connect } = await openStreams();
    const viewer = await connect({ as: "viewer" });
    expect((await viewer.get("/api/v1/clusters/prod").whole()).answer?.status).toBe(200);
    expect((await viewer.get("/clusters/prod/api/v1/pods").whole()).answer?.status).toBe(403);
  });

  test("may show its token as a subprotocol", async () => {
    const { connect } = await openStreams();
    const bearer = `base64url.bearer.authorization.k8s.io.${Buffer.from("viewer").toString("base64url")}`;
    const client = await connect({ as: "", protocols: [streamProtocol, bearer] });
    expect(client.socket.protocol).toBe(streamProtocol);
    expect((await client.get("/api/v1/clusters/prod").whole()).answer?.status).toBe(200);
  });

  test("has 512 subscriptions, and says when there is no room for more", async () => {
    const { connect, store, watchers, metrics } = await openStreams();
    const client = await connect();
    const watches = Array.from({ length: 512 }, () => client.get(clusters));
    await Promise.all(watches.map((watch) => watch.untilEvent("BOOKMARK")));
    const refused = await client.get(clusters).whole();
    expect(refused).toMatchObject({ answer: undefined, error: { code: "TooManyRequests" } });
    await writeCluster(store, "second");
    await Promise.all(
      watches.map((watch) => watch.until(({ events }) => isOf(events.at(-1)?.data, "second"))),
    );
    expect(await metrics.text()).toMatch(/bowline_stream_sockets 1\n[^]*bowline_stream_subscriptions 512\n/u);
    expect(await metrics.text()).toMatch(/bowline_stream_sent_bytes_total [1-9]/u);
    watches[0]?.end();
    await expect.poll(() => watchers.size).toBe(511);
    await client.get(clusters).untilEvent("BOOKMARK");
  });

  test("shares with the user's other streams how many subscriptions there may be", async () => {
    const { connect } = await openStreams({ streamLimits: { maxSubscriptionsPerUser: 3 } });
    const [one, two, viewer] = [await connect(), await connect(), await connect({ as: "viewer" })];
    const watches = [one.get(clusters), one.get(clusters), two.get(clusters)];
    await Promise.all(watches.map((watch) => watch.untilEvent("BOOKMARK")));
    for (const client of [one, two]) {
      expect((await client.get(clusters).whole()).error).toMatchObject({
        code: "TooManyRequests",
        message: /You have 3 subscriptions/u,
      });
    }
    await viewer.get(clusters).untilEvent("BOOKMARK");
    one.socket.close();
    await one.closed;
    await expect.poll(async () => (await two.get("/api/v1/clusters/prod").whole()).answer?.status).toBe(200);
  });

  test("with bodies that nobody reads is not cut: they wait, one part of each", async () => {
    let answered = 0;
    const { connect } = await openStreams({
      onRequest: (_, outgoing) => {
        outgoing.writeHead(200).end(Buffer.alloc(200_000), () => (answered += 1));
      },
      streamLimits: { maxWaitingBytes: 100_000 },
    });
    const client = await connect();
    client.socket.pause();
    const bodies = Array.from({ length: 100 }, () => client.get("/clusters/prod/version"));
    await expect.poll(() => answered).toBe(100);
    client.socket.resume();
    for (const body of bodies) expect((await body.whole()).bytes).toBe(200_000);
  });
});

describe("credit", () => {
  /** A cluster that answers with more than a client has credit for. */
  const withLongAnswer = (length: number): Promise<StreamHarness> =>
    openStreams({ onRequest: (_, outgoing) => void outgoing.end(Buffer.alloc(length, "z")) });

  test("bounds what is sent of one subscription, and holds no other", async () => {
    const length = 3 * streamInitialCredit;
    const { connect } = await withLongAnswer(length);
    const client = await connect();
    const slow = client.get("/clusters/prod/version", { credit: false });
    await slow.until(({ bytes }) => bytes === streamInitialCredit);
    const quick = await client.get("/clusters/prod/version").whole();
    expect([quick.bytes, slow.bytes, slow.isOver]).toEqual([length, streamInitialCredit, false]);
    slow.credit(1_000);
    await slow.until(({ bytes }) => bytes === streamInitialCredit + 1_000);
    slow.credit(length);
    expect((await slow.whole()).bytes).toBe(length);
    expect(slow.hasEnded).toBe(true);
  });

  test("holds a watcher back, who then reads the log for itself", async () => {
    const { connect, store, metrics } = await openStreams({ streamLimits: { initialCredit: 2_000 } });
    const client = await connect();
    const slow = client.get(clusters, { credit: false });
    const quick = await client.get(clusters).untilEvent("BOOKMARK");
    const names = Array.from({ length: 40 }, (_, index) => `cluster-${index}`);
    for (const name of names) await writeCluster(store, name);
    await quick.until(({ events }) => isOf(events.at(-1)?.data, "cluster-39"));
    expect(slow.bytes).toBe(2_000);
    slow.credit(1_000_000);
    await slow.until(({ events }) => events.some(({ data }) => isOf(data, "cluster-39")));
    const added = slow.events.filter(({ data }) => data["type"] === "ADDED");
    expect(added).toHaveLength(41);
    expect(await metrics.text()).toContain('bowline_watch_watchers{kind="Cluster"} 2');
  });
});

test("a cluster is watched as Tables, and a log is followed", async () => {
  const sim = await startKubesim({ tls: false, nodes: 1, kubelet: { startDelayMs: 1 } });
  onTestFinished(() => sim.stop());
  const { connect } = await openStreams({
    accept: agentSide(Number(new URL(sim.url).port), sim.adminToken),
    grants: { operators: { kubernetes: { user: "admin", groups: ["system:masters"] } } },
  });
  const client = await connect();
  const pods = "/clusters/prod/api/v1/namespaces/default/pods";
  const list = await client.get(pods, { accept: tables }).whole();
  const { kind, metadata } = JSON.parse(list.text);
  expect(kind).toBe("Table");
  const watch = client.get(`${pods}?watch=1&resourceVersion=${metadata.resourceVersion}`, { accept: tables });
  await watch.until(({ answer }) => answer?.status === 200);
  sim.api.create("pods", {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "web", namespace: "default" },
    spec: { containers: [{ name: "web", image: "web" }] },
  });
  await watch.until(({ text }) => text.includes('"Running"'));
  const [first = ""] = watch.text.split("\n");
  expect(JSON.parse(first)).toMatchObject({ type: "ADDED", object: { kind: "Table", rows: [{}] } });
  const log = client.get(`${pods}/web/log?follow=true`);
  await log.until(({ answer }) => answer?.status === 200);
  expect(log.answer?.headers["content-type"]).toMatch(/^text\/plain/u);
  expect(log.isOver).toBe(false);
});

function isOf(data: Record<string, unknown> | undefined, name: string): boolean {
  return JSON.stringify(data ?? {}).includes(`"name":"${name}"`);
}
