import { BowlineError } from "@bowline/core";
import { ManualClock } from "@bowline/core/testing";
import {
  callMessages,
  reportCall,
  ReportTopic,
  type MessageCall,
  type ReportResponse,
} from "@bowline/protocol";
import { describe, expect, onTestFinished, test } from "vitest";

import { ReportServer } from "../testing/report-server.ts";
import { dialPlainly, startScriptedServer } from "../testing/scripted-server.ts";
import type { QueuedItem, ReportMessage } from "./report-item.ts";
import { ReportQueue } from "./report-queue.ts";
import { newReportCounts, ReportSender } from "./report-sender.ts";

const event = (uid: string, count = 1): QueuedItem => ({
  key: uid,
  bytes: 300,
  item: { item: { case: "event", value: { uid, count } } },
});

/** A sender, and a real connection to a server that does what the test says. */
async function start(epoch = 7n) {
  const server = new ReportServer();
  const scripted = await startScriptedServer({ report: server.answer });
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const http2 = await dialPlainly(scripted.url, stop.signal);
  http2.on("error", () => {});
  onTestFinished(() => http2.destroy());
  const clock = new ManualClock();
  const queue = new ReportQueue();
  const counts = newReportCounts();
  const known: string[] = [];
  const sender = new ReportSender({
    topic: ReportTopic.GRAPH,
    queue,
    epoch,
    instance: "pod-1",
    clock,
    counts,
    onKnown: ({ kind, uids }) => known.push(...uids.map((uid) => `${kind} ${uid}`)),
  });
  const call = (): MessageCall<ReportMessage, ReportResponse> =>
    callMessages(http2, reportCall, { signal: stop.signal });
  return { server, clock, queue, counts, sender, known, call };
}

describe("a report", () => {
  test("says who reports and since when, sends the first at once, and gathers the next", async () => {
    const { server, clock, queue, sender, call } = await start();
    sender.run(call()).catch(() => {});
    await expect.poll(() => [server.epoch, server.instance]).toEqual([7n, "pod-1"]);
    queue.put(event("a"));
    await expect.poll(() => server.batches).toEqual([1]);
    await expect.poll(() => sender.unacknowledged).toBe(0);
    for (let count = 0; count < 30; count++) queue.put(event(`b${count}`));
    await clock.armed(100);
    expect(server.batches).toEqual([1]);
    await clock.advance(100);
    await expect.poll(() => server.batches).toEqual([1, 30]);
    expect(sender.lastAckMs).toBeDefined();
  });

  test("names its topic, and is told what the server knows before it begins, and not again", async () => {
    const { server, queue, sender, known, call } = await start();
    const page = (kind: string, ...uids: string[]): object => ({ group: "", kind, namespace: "", uids });
    server.known = [[page("Pod", "a", "b")], [page("Node", "c"), page("Pod", "d")]];
    let readies = 0;
    sender.onReady = () => {
      readies += 1;
      expect(known).toEqual(["Pod a", "Pod b", "Node c", "Pod d"]);
    };
    const first = sender.run(call());
    await expect.poll(() => readies).toBe(1);
    expect(server.topic).toBe(ReportTopic.GRAPH);
    server.hangUp();
    await expect(first).rejects.toThrow("Going away");
    sender.finish();
    queue.put(event("a"));
    await sender.run(call());
    expect([readies, server.begins, known.length]).toEqual([2, 2, 4]);
  });

  test("sends a full batch without waiting, and no more of them without a word than it may", async () => {
    const { server, queue, sender, call } = await start();
    server.maxItems = 10;
    server.acknowledges = false;
    sender.run(call()).catch(() => {});
    for (let count = 0; count < 95; count++) queue.put(event(`e${count}`));
    await expect.poll(() => server.stored).toBe(4);
    expect([server.mostUnderWay, sender.unacknowledged, queue.size]).toEqual([4, 4, 55]);
    sender.finish();
    server.acknowledge();
    await expect.poll(() => server.events.size).toBe(95);
    expect(server.mostUnderWay).toBeLessThanOrEqual(4);
  });

  test("goes on where the server says: what is stored is not sent again, and what is not is", async () => {
    const { server, queue, sender, call } = await start();
    server.acknowledges = false;
    server.maxItems = 1;
    const first = sender.run(call());
    for (const uid of ["a", "b", "c"]) queue.put(event(uid));
    await expect.poll(() => server.stored).toBe(3);
    // The third was on its way and did not get there.
    server.hangUp();
    await expect(first).rejects.toThrow("Going away");
    server.stored = 2;
    server.events.delete("c");
    queue.put(event("c", 2));
    server.acknowledges = true;
    sender.finish();
    await sender.run(call());
    expect([...server.events.keys()]).toEqual(["a", "b", "c"]);
    expect([server.stories, server.repeated]).toEqual([["a 1", "b 1", "c 1", "c 2"], 0]);
    expect(sender.isIdle).toBe(true);
  });

  test("an older state never comes after a newer one, whatever is sent again", async () => {
    const { server, queue, sender, call } = await start();
    server.acknowledges = false;
    server.maxItems = 1;
    const first = sender.run(call());
    queue.put(event("a", 1));
    await expect.poll(() => server.stored).toBe(1);
    queue.put(event("a", 2));
    server.hangUp();
    await expect(first).rejects.toThrow("Going away");
    Object.assign(server, { stored: 0, acknowledges: true });
    queue.put(event("a", 3));
    sender.finish();
    await sender.run(call());
    expect(server.stories).toEqual(["a 1", "a 3"]);
  });

  test("items that the server refuses are counted and dropped, and hold up no others", async () => {
    const { server, queue, sender, counts, call } = await start();
    server.refuse = ({ item }) =>
      item.case === "event" && item.value.uid === "bad" ? "Too large." : undefined;
    for (const uid of ["a", "bad", "b"]) queue.put(event(uid));
    sender.finish();
    await sender.run(call());
    expect([...server.events.keys()]).toEqual(["a", "b"]);
    expect([counts.refused, sender.lastRefusal, queue.size]).toEqual([1, "Too large.", 0]);
  });

  test("an epoch that the server has lost, or that is over, is told as such", async () => {
    const { server, queue, sender, call } = await start();
    queue.put(event("a"));
    sender.finish();
    await sender.run(call());
    server.stored = 0;
    await expect(sender.run(call())).rejects.toMatchObject({ code: "Expired" });
    server.epoch = 8n;
    await expect(sender.run(call())).rejects.toMatchObject({ code: "Expired" });
  });

  test("a server that says nothing is given up", async () => {
    const { sender, clock } = await start();
    const scripted = await startScriptedServer({ report: () => {} });
    const signal = new AbortController().signal;
    const http2 = await dialPlainly(scripted.url, signal);
    onTestFinished(() => http2.destroy());
    const running = sender.run(callMessages(http2, reportCall, { signal }));
    await clock.armed(15_000);
    const outcome = running.catch((error: unknown) => BowlineError.from(error).code);
    await clock.advance(15_000);
    expect(await outcome).toBe("Timeout");
    expect(clock.pending).toBe(0);
  });
});
