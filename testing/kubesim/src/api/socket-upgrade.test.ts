import { ManualClock } from "@bowline/core/testing";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";

import { startKubesim, type Kubesim } from "../kubesim.ts";
import { KubeSocket, type KubeSocketOptions } from "./testing/kube-socket.ts";

let sim: Kubesim;
let clock: ManualClock;

beforeEach(async () => {
  clock = new ManualClock();
  const kubelet = { keptLogLines: 10_000 };
  sim = await startKubesim({ tls: false, nodes: 1, clock, watchQueueLimit: 100, kubelet });
});
afterEach(() => sim.stop());

async function open(path: string, options: Partial<KubeSocketOptions> = {}): Promise<KubeSocket> {
  const { url, caCert, adminToken: token } = sim;
  const headers = { origin: "http://localhost" };
  const socket = await KubeSocket.open({ url, caCert, token, path, headers, ...options });
  onTestFinished(() => socket[Symbol.dispose]());
  return socket;
}

function put(name: string, text = ""): void {
  const metadata = { name, namespace: "default" };
  sim.api.create("configmaps", { apiVersion: "v1", kind: "ConfigMap", metadata, data: { text } });
}

describe("a watch by WebSocket", () => {
  const path =
    "/api/v1/namespaces/default/configmaps?watch=true&fieldSelector=metadata.name!=kube-root-ca.crt";

  it("is forgotten when its client goes", async () => {
    const before = sim.openWatches;
    const socket = await open(path);
    expect(sim.openWatches).toBe(before + 1);
    socket[Symbol.dispose]();
    await expect.poll(() => sim.openWatches).toBe(before);
  });

  it("is met by the faults that others are met by", async () => {
    const dropped = await open(path);
    expect(sim.faults.dropWatches()).toBe(1);
    expect(await dropped.closed).toBe(1006);
    const cut = await open(path);
    expect(sim.faults.cutLines()).toBe(1);
    put("a");
    expect(await cut.next()).toBeUndefined();
    expect(await cut.closed).toBe(1006);
    sim.faults.failRequests({ code: 429, times: 1 });
    await expect(open(path)).rejects.toMatchObject({ status: 429 });
  });

  it("whose client does not read is cut, and costs no more than its queue", async () => {
    const before = sim.openWatches;
    const socket = await open(path);
    socket.pause();
    const text = "x".repeat(200_000);
    for (let index = 0; index < 400 && sim.openWatches > before; index++) {
      put(`big-${index}`, text);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(sim.openWatches).toBe(before);
  });

  it("is closed when a client sends more at once than anybody should", async () => {
    const socket = await open(path);
    socket.send(Buffer.alloc(2 * 1024 * 1024));
    expect(await socket.closed).toBe(1009);
  });
});

describe("a log by WebSocket", () => {
  const path = "/api/v1/namespaces/default/pods/web/log?follow=true";
  const name = { namespace: "default", name: "web" };

  beforeEach(async () => {
    sim.api.create("pods", {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "web", namespace: "default" },
      spec: { containers: [{ name: "app", image: "nginx" }] },
    });
    await pass(5_000);
  });

  async function pass(ms: number): Promise<void> {
    await sim.settled();
    await clock.advance(ms);
    await sim.settled();
  }

  it("begins with an empty message, and ends with what the container wrote last", async () => {
    const socket = await open(`${path}&tailLines=1`, { protocols: ["binary.k8s.io"] });
    expect(await socket.next()).toEqual({ isText: false, data: Buffer.alloc(0) });
    expect((await socket.next())?.data.toString()).toBe("listening, ready to serve\n");
    sim.nodes?.writeLog(name, "app", "hello");
    expect((await socket.next())?.data.toString()).toBe("hello\n");
    sim.nodes?.kill(name, { exitCode: 2 });
    await pass(5_000);
    expect((await socket.next())?.data.toString()).toBe("fatal: giving up, exit status 2\n");
    expect(await socket.next()).toBeUndefined();
    expect(await socket.closed).toBe(1000);
  });

  it("is text in base64 where the client wants that, and ends with its pod", async () => {
    const protocols = ["something.else", "base64.binary.k8s.io"];
    const socket = await open(`${path}&tailLines=0&timestamps=true`, { protocols });
    expect(socket.protocol).toBe("base64.binary.k8s.io");
    expect(await socket.next()).toEqual({ isText: true, data: Buffer.alloc(0) });
    sim.nodes?.writeLog(name, "app", "hello");
    const message = await socket.next();
    expect(message?.isText).toBe(true);
    expect(Buffer.from(String(message?.data), "base64").toString()).toMatch(/^\d{4}-.*Z hello\n$/u);
    sim.api.delete("pods", "default", "web");
    await pass(40_000);
    await socket.text();
    expect(await socket.closed).toBe(1000);
  });

  it("comes in pieces, and whole however long it is", async () => {
    for (let index = 0; index < 10_000; index++) sim.nodes?.writeLog(name, "app", "x".repeat(999));
    const socket = await open(path, { protocols: ["binary.k8s.io"] });
    const lengths: number[] = [];
    let received = 0;
    while (received < 10_000_000) {
      const message = await socket.next();
      if (message === undefined) break;
      lengths.push(message.data.length);
      received += message.data.length;
    }
    expect(received).toBe(10_000_000);
    expect(Math.max(...lengths)).toBe(32 * 1024);
  });

  it("whose client does not read is cut off", async () => {
    const before = sim.openConnections;
    const socket = await open(`${path}&tailLines=0`, { protocols: ["binary.k8s.io"] });
    expect(sim.openConnections).toBe(before + 1);
    socket.pause();
    for (let index = 0; index < 400 && sim.openConnections > before; index++) {
      sim.nodes?.writeLog(name, "app", "x".repeat(200_000));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(sim.openConnections).toBe(before);
  });

  it("needs a subprotocol that the server knows", async () => {
    await expect(open(path, { protocols: ["v4.channel.k8s.io"] })).rejects.toMatchObject({ status: 403 });
    // As the real server does, an empty one is confirmed to those who name none, and they cannot have that.
    await expect(open(path)).rejects.toThrow("subprotocol");
  });
});
