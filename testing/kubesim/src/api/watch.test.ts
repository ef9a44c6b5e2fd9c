import { connect } from "node:net";

import { ManualClock } from "@bowline/core/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { startKubesim, type Kubesim } from "../kubesim.ts";
import { readPath } from "../store/json-value.ts";
import { ApiClient } from "./testing/api-client.ts";
import type { WatchReader } from "./testing/watch-reader.ts";

let sim: Kubesim;
let client: ApiClient;
let clock: ManualClock;
const open: WatchReader[] = [];

beforeEach(async () => {
  clock = new ManualClock();
  sim = await startKubesim({ tls: false, controllers: false, clock, historyLimit: 40, watchQueueLimit: 100 });
  client = new ApiClient(sim);
});
afterEach(async () => {
  for (const reader of open.splice(0)) reader.close();
  await sim.stop();
});

const path = "/api/v1/namespaces/default/configmaps";

async function watch(query: string, accept?: string): Promise<WatchReader> {
  const reader = await client.watch(`${path}?watch=1&${query}`, accept === undefined ? {} : { accept });
  open.push(reader);
  return reader;
}

function put(name: string, data: Record<string, string> = {}, labels: Record<string, string> = {}): void {
  const live = sim.api.get("configmaps", "default", name);
  if (live) sim.api.update("configmaps", { ...live, metadata: { ...live.metadata, labels }, data });
  else
    sim.api.create("configmaps", {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name, namespace: "default", labels },
      data,
    });
}

describe("a watch", () => {
  it("begins with everything there is, unless it names a version", async () => {
    put("a");
    const fresh = await watch("");
    const zero = await watch("resourceVersion=0");
    const since = await watch(`resourceVersion=${sim.revision}`);
    put("b");
    expect(await fresh.take(2)).toEqual(["ADDED a", "ADDED b"]);
    expect(await zero.take(2)).toEqual(["ADDED a", "ADDED b"]);
    expect(await since.take(1)).toEqual(["ADDED b"]);
  });

  it("tells every change in order, with the version of the change", async () => {
    const reader = await watch("");
    put("a", { n: "1" });
    put("a", { n: "2" });
    sim.api.delete("configmaps", "default", "a");
    expect(await reader.next()).toMatchObject({
      type: "ADDED",
      object: { kind: "ConfigMap", apiVersion: "v1" },
    });
    expect(await reader.next()).toMatchObject({ type: "MODIFIED", object: { data: { n: "2" } } });
    expect(await reader.next()).toMatchObject({ type: "DELETED", resourceVersion: String(sim.revision) });
  });

  it("goes on where another one ended", async () => {
    put("a");
    const from = sim.revision;
    put("b");
    sim.api.delete("configmaps", "default", "a");
    const reader = await watch(`resourceVersion=${from}`);
    expect(await reader.take(2)).toEqual(["ADDED b", "DELETED a"]);
  });

  it("keeps to its namespace and its resource", async () => {
    const reader = await watch("");
    sim.api.create("namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: "other" } });
    sim.api.create("configmaps", {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "elsewhere", namespace: "other" },
    });
    sim.api.create("secrets", {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "secret", namespace: "default" },
    });
    put("mine");
    expect(await reader.take(1)).toEqual(["ADDED mine"]);
  });

  it("answers 410 inside the stream when its version is forgotten", async () => {
    put("a");
    const from = sim.revision;
    for (let index = 0; index < 60; index += 1) put("a", { n: String(index) });
    const reader = await watch(`resourceVersion=${from}`);
    expect(reader.status).toBe(200);
    expect(await reader.next()).toMatchObject({
      type: "ERROR",
      object: {
        kind: "Status",
        code: 410,
        reason: "Expired",
        message: expect.stringContaining("too old resource version"),
      },
    });
    expect(await reader.next()).toBeUndefined();
  });

  it("shows objects that begin or cease to match as added or deleted", async () => {
    put("a", {}, { app: "x" });
    put("b", {}, { app: "y" });
    const reader = await watch("labelSelector=app%3Dx");
    put("b", { n: "1" }, { app: "x" });
    put("a", { n: "1" }, { app: "z" });
    put("a", { n: "2" }, { app: "z" });
    put("b", { n: "2" }, { app: "x" });
    expect(await reader.take(2)).toEqual(["ADDED a", "ADDED b"]);
    const lost = await reader.next();
    expect(lost).toMatchObject({
      type: "DELETED",
      name: "a",
      object: { metadata: { labels: { app: "x" } } },
    });
    expect(Number(lost?.resourceVersion)).toBe(sim.revision - 2);
    expect(await reader.take(1)).toEqual(["MODIFIED b"]);
  });

  it("sends bookmarks to those who ask, and a last one before its time is up", async () => {
    const reader = await watch("allowWatchBookmarks=true&timeoutSeconds=90");
    const silent = await watch("timeoutSeconds=90");
    put("a");
    expect(await reader.take(1)).toEqual(["ADDED a"]);
    await clock.advance(60_000);
    expect(await reader.next()).toMatchObject({
      type: "BOOKMARK",
      resourceVersion: String(sim.revision),
      object: { kind: "ConfigMap" },
    });
    sim.api.create("secrets", {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "s", namespace: "default" },
    });
    await clock.advance(30_000);
    expect(await reader.next()).toMatchObject({ type: "BOOKMARK", resourceVersion: String(sim.revision) });
    expect(await reader.next()).toBeUndefined();
    expect(await silent.take(5)).toEqual(["ADDED a"]);
    expect(sim.openWatches).toBe(0);
  });

  it("can list and watch in one: the end of the list is marked", async () => {
    put("a");
    put("b");
    const query = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
    const reader = await watch(query);
    expect(await reader.take(2)).toEqual(["ADDED a", "ADDED b"]);
    const mark = await reader.next();
    expect(mark).toMatchObject({ type: "BOOKMARK", resourceVersion: String(sim.revision) });
    expect(readPath(mark?.object, "metadata.annotations")).toEqual({ "k8s.io/initial-events-end": "true" });
    put("c");
    expect(await reader.take(1)).toEqual(["ADDED c"]);
    const wrong = await client.get(`${path}?watch=1&sendInitialEvents=true`);
    expect([wrong.status, wrong.at("reason")]).toEqual([422, "Invalid"]);
  });

  it("comes as metadata or rows where asked", async () => {
    put("a", { secret: "value" });
    const metadata = await watch("", "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io");
    const event = await metadata.next();
    expect(event?.object).toMatchObject({ kind: "PartialObjectMetadata" });
    expect(readPath(event?.object, "data")).toBeUndefined();
    const table = await watch("", "application/json;as=Table;v=v1;g=meta.k8s.io");
    expect((await table.next())?.object).toMatchObject({ kind: "Table", rows: [{ cells: ["a", 1, "0s"] }] });
  });

  it("is cut when its reader does not keep up", async () => {
    put("a", { blob: "x".repeat(100_000) });
    const { port } = new URL(sim.url);
    // A reader that never reads: the kernel's buffers fill, then the stream's queue.
    const socket = connect(Number(port), "127.0.0.1");
    socket.write(
      `GET ${path}?watch=1 HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${sim.adminToken}\r\n\r\n`,
    );
    socket.pause();
    const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
    const fine = await watch(`resourceVersion=${sim.revision}`);
    await expect.poll(() => sim.openWatches).toBe(2);
    let told = 0;
    for (let round = 0; round < 400 && sim.openWatches === 2; round += 1) {
      put("a", { blob: String(round).padEnd(100_000, "y") });
      if (await fine.next()) told += 1;
    }
    expect(sim.openWatches).toBe(1);
    put("b");
    expect(await fine.take(1)).toEqual(["ADDED b"]);
    expect(told).toBeGreaterThan(0);
    socket.resume();
    await closed;
  });
});

describe("an older server", () => {
  it("does not know sendInitialEvents", async () => {
    const old = await startKubesim({ tls: false, controllers: false, version: "v1.20.2" });
    try {
      const reader = await new ApiClient(old).watch(
        "/api/v1/namespaces?watch=1&sendInitialEvents=true&allowWatchBookmarks=true&timeoutSeconds=1",
      );
      expect(await reader.take(4)).toEqual([
        "ADDED default",
        "ADDED kube-node-lease",
        "ADDED kube-public",
        "ADDED kube-system",
      ]);
      // No mark follows the list: the next thing is the bookmark at the end of the time.
      expect(readPath((await reader.next())?.object, "metadata.annotations")).toBeUndefined();
      reader.close();
    } finally {
      await old.stop();
    }
  });
});
