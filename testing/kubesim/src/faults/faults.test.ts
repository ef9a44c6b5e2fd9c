import { ManualClock } from "@bowline/core/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { ApiClient } from "../api/testing/api-client.ts";
import type { WatchReader } from "../api/testing/watch-reader.ts";
import { startKubesim, type Kubesim } from "../kubesim.ts";

let sim: Kubesim;
let clock: ManualClock;
let client: ApiClient;
const readers: WatchReader[] = [];

beforeEach(async () => {
  clock = new ManualClock();
  sim = await startKubesim({ tls: false, controllers: false, clock, watchQueueLimit: 10 });
  client = new ApiClient(sim);
});
afterEach(async () => {
  for (const reader of readers.splice(0)) reader.close();
  await sim.stop();
});

const path = "/api/v1/namespaces/default/configmaps";

async function watch(resource = "configmaps"): Promise<WatchReader> {
  const reader = await client.watch(
    `/api/v1/namespaces/default/${resource}?watch=1&resourceVersion=${sim.revision}`,
  );
  readers.push(reader);
  return reader;
}

function add(name: string, resource = "configmaps", kind = "ConfigMap"): void {
  sim.api.create(resource, { apiVersion: "v1", kind, metadata: { name, namespace: "default" } });
}

describe("requests", () => {
  it("fail a number of times, with the time to come back", async () => {
    const fault = sim.faults.failRequests({ code: 429, retryAfterSeconds: 7, times: 2, verb: "list" });
    const first = await client.get(path);
    expect([first.status, first.at("reason"), first.headers.get("retry-after")]).toEqual([
      429,
      "TooManyRequests",
      "7",
    ]);
    expect((await client.get(`${path}/a`)).status).toBe(404);
    expect((await client.get(path)).status).toBe(429);
    expect((await client.get(path)).status).toBe(200);
    expect(fault.hits).toBe(2);
  });

  it("fail in a share of cases that the seed decides", async () => {
    const outcome = async (seed: number): Promise<number[]> => {
      const fault = sim.faults.failRequests({ code: 503, share: 0.5, seed });
      const codes: number[] = [];
      for (let index = 0; index < 20; index += 1) codes.push((await client.get(path)).status);
      fault.remove();
      return codes;
    };
    const first = await outcome(5);
    expect(new Set(first)).toEqual(new Set([200, 503]));
    expect(await outcome(5)).toEqual(first);
    expect(await outcome(6)).not.toEqual(first);
  });

  it("are chosen by resource, verb and user agent", async () => {
    sim.faults.failRequests({ code: 500, resource: "deployments.apps", userAgent: "agent" });
    const agent = new ApiClient(sim, { userAgent: "bowline-agent/1" });
    const deployments = "/apis/apps/v1/namespaces/default/deployments";
    expect((await agent.get(deployments)).status).toBe(500);
    expect((await client.get(deployments)).status).toBe(200);
    expect((await agent.get(path)).status).toBe(200);
    sim.faults.clear();
    expect((await agent.get(deployments)).status).toBe(200);
  });

  it("are answered in HTML, with 410, or by a reset", async () => {
    const html = sim.faults.answerHtml();
    const page = await client.get(path);
    expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html"]);
    html.remove();
    const gone = sim.faults.expireRequests();
    expect((await client.get(path)).body).toMatchObject({ code: 410, reason: "Expired" });
    gone.remove();
    sim.faults.resetConnections({ times: 1 });
    await expect(client.get(path)).rejects.toThrow("fetch failed");
    expect((await client.get(path)).status).toBe(200);
  });

  it("are answered in other words, watches too", async () => {
    add("first");
    const rewrite = (line: string): string => line.replaceAll('"name":"', '"name":"<b>');
    const fault = sim.faults.rewriteAnswers({ resource: "configmaps", rewrite });
    expect((await client.get(`${path}/first`)).at("metadata.name")).toBe("<b>first");
    const reader = await watch();
    add("second");
    expect(await reader.take(1)).toEqual(["ADDED <b>second"]);
    fault.remove();
    expect((await client.get(`${path}/first`)).at("metadata.name")).toBe("first");
  });

  it("are answered late", async () => {
    const fault = sim.faults.slowRequests({ delayMs: 5000, times: 1 });
    let answered = false;
    const answer = client.get(path).then((result) => {
      answered = true;
      return result.status;
    });
    await clock.armed(5000);
    expect(fault.hits).toBe(1);
    await clock.advance(4999);
    expect(answered).toBe(false);
    await clock.advance(1);
    expect(await answer).toBe(200);
  });
});

describe("watches", () => {
  it("are dropped, all or by resource", async () => {
    const maps = await watch();
    const secrets = await watch("secrets");
    expect(sim.faults.dropWatches({ resource: "configmaps" })).toBe(1);
    await expect(maps.next()).rejects.toThrow("terminated");
    add("s", "secrets", "Secret");
    expect(await secrets.take(1)).toEqual(["ADDED s"]);
    expect(sim.faults.dropWatches()).toBe(1);
    await expect(secrets.next()).rejects.toThrow("terminated");
  });

  it("stall, and lose nothing when they go on", async () => {
    const reader = await watch();
    const other = await watch();
    add("before");
    expect(await reader.take(1)).toEqual(["ADDED before"]);
    const fault = sim.faults.stallWatches();
    add("during");
    const fresh = await watch();
    add("after");
    expect(await fresh.take(1)).toEqual(["ADDED after"]);
    fault.remove();
    expect(await reader.take(2)).toEqual(["ADDED during", "ADDED after"]);
    expect(await other.take(3)).toEqual(["ADDED before", "ADDED during", "ADDED after"]);
  });

  it("that stalled for too long are cut rather than incomplete", async () => {
    const reader = await watch();
    const fault = sim.faults.stallWatches();
    for (let index = 0; index < 20; index += 1) add(`n${index}`);
    fault.remove();
    await expect(reader.next()).rejects.toThrow("terminated");
  });

  it("end in the middle of a line", async () => {
    const reader = await watch();
    sim.faults.cutLines();
    add("a");
    await expect(reader.next()).rejects.toThrow("terminated");
    expect(reader.unfinishedLine).toMatch(/^\{"type":"ADDED"/);
    expect(reader.unfinishedLine).not.toContain("\n");
  });

  it("freeze with their connection, which stays open", async () => {
    const reader = await watch();
    const fault = sim.faults.freezeSockets({ verb: "watch" });
    const before = sim.openConnections;
    add("a");
    let heard = false;
    const next = reader.next().then((event) => {
      heard = true;
      return event;
    });
    expect((await client.get(path)).status).toBe(200);
    expect([heard, sim.openConnections >= before]).toEqual([false, true]);
    fault.remove();
    expect(await next).toMatchObject({ type: "ADDED", name: "a" });
  });

  it("that ask for initial events are ended at once, and no others", async () => {
    add("a");
    const fault = sim.faults.endWatchLists();
    const query = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
    const reader = await client.watch(`${path}?watch=1&${query}`);
    readers.push(reader);
    expect(await reader.next()).toMatchObject({
      type: "ERROR",
      object: { code: 500, message: expect.stringContaining("RequestWatchProgress is disabled") },
    });
    const other = await watch();
    add("b");
    expect(await other.take(1)).toEqual(["ADDED b"]);
    expect(fault.hits).toBe(1);
  });

  it("cannot resume from before a compaction", async () => {
    add("a");
    const from = sim.revision;
    add("b");
    sim.faults.compact();
    const reader = await client.watch(`${path}?watch=1&resourceVersion=${from}`);
    readers.push(reader);
    expect(await reader.next()).toMatchObject({ type: "ERROR", object: { code: 410 } });
  });
});
