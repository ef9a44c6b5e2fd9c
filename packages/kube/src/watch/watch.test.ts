import { ManualClock } from "@bowline/core/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { resources } from "../client/resources.ts";
import { failureOf } from "../testing/async-queue.ts";
import { pod, ScriptedServer } from "../testing/scripted-server.ts";
import type { WatchEvent } from "./event-decoder.ts";
import { watch, type WatchOptions } from "./watch.ts";

let server: ScriptedServer;
beforeEach(async () => {
  server = await ScriptedServer.start();
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
});

function pods(options: WatchOptions = {}): AsyncGenerator<WatchEvent, void, undefined> {
  return watch(server.transport, resources.pods, options);
}

async function collect(events: AsyncIterable<WatchEvent>): Promise<WatchEvent[]> {
  const seen: WatchEvent[] = [];
  for await (const event of events) seen.push(event);
  return seen;
}

function nameOf(event: WatchEvent): string | undefined {
  return event.type === "BOOKMARK" ? event.resourceVersion : event.object.metadata.name;
}

describe("watch", () => {
  it("asks for what its options say", async () => {
    const events = collect(
      pods({ namespace: "shop", labelSelector: "app=web", resourceVersion: "41", timeoutSeconds: 33 }),
    );
    const exchange = await server.next();
    expect(exchange.path).toBe("/api/v1/namespaces/shop/pods");
    expect(Object.fromEntries(exchange.query)).toEqual({
      watch: "true",
      labelSelector: "app=web",
      resourceVersion: "41",
      timeoutSeconds: "33",
      allowWatchBookmarks: "true",
    });
    exchange.open().end();
    expect(await events).toEqual([]);
  });

  it("yields events and bookmarks, and returns when the server ends it", async () => {
    const events = collect(pods());
    const exchange = await server.next();
    exchange.open().event("ADDED", pod("a", "1")).event("MODIFIED", pod("a", "2"));
    exchange.event("DELETED", pod("a", "3")).bookmark("9").event("NEWER", pod("x", "10")).end();
    expect(await events).toEqual([
      { type: "ADDED", object: pod("a", "1") },
      { type: "MODIFIED", object: pod("a", "2") },
      { type: "DELETED", object: pod("a", "3") },
      { type: "BOOKMARK", resourceVersion: "9", initialEventsEnd: false },
    ]);
  });

  it("asks for initial events and marks their end", async () => {
    const events = collect(pods({ sendInitialEvents: true }));
    const exchange = await server.next();
    expect(exchange.query.get("sendInitialEvents")).toBe("true");
    expect(exchange.query.get("resourceVersionMatch")).toBe("NotOlderThan");
    exchange.open().event("ADDED", pod("a", "1")).bookmark("5", true).end();
    expect((await events).at(-1)).toEqual({ type: "BOOKMARK", resourceVersion: "5", initialEventsEnd: true });
  });

  it("asks for metadata only", async () => {
    const events = collect(pods({ metadataOnly: true }));
    const exchange = await server.next();
    expect(exchange.headers.accept).toContain("as=PartialObjectMetadata;");
    const partial = { ...pod("a", "1"), kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1" };
    exchange.open().event("ADDED", partial).end();
    expect(await events).toMatchObject([{ object: { kind: "Pod", apiVersion: "v1" } }]);
  });

  it("puts lines together that are cut inside a character", async () => {
    const object = pod("žluťoučký-語-🪢", "1");
    const line = Buffer.from(`${JSON.stringify({ type: "ADDED", object })}\n`);
    const events = collect(pods());
    const exchange = await server.next();
    exchange.open();
    for (const byte of line) exchange.write(Buffer.from([byte]));
    exchange.end();
    expect(await events).toEqual([{ type: "ADDED", object }]);
  });

  it("takes a line that comes in many chunks, up to the limit", async () => {
    const object = { ...pod("big", "1"), data: "x".repeat(900_000) };
    const events = collect(pods({ maxLineBytes: 1_000_000 }));
    (await server.next()).open().event("ADDED", object).end();
    expect(await events).toEqual([{ type: "ADDED", object }]);
  });

  it("refuses a longer line, names the resource, and hangs up", async () => {
    const events = collect(pods({ maxLineBytes: 100_000, namespace: "shop" }));
    const exchange = await server.next();
    exchange.open().write(`{"type":"ADDED","object":{"data":"${"x".repeat(200_000)}`);
    await expect(events).rejects.toMatchObject({
      code: "ResponseTooLarge",
      message: expect.stringContaining('pods in namespace "shop"'),
    });
    await exchange.closed;
  });

  it("takes a cut in the middle of a line for a disconnect and not for an event", async () => {
    const seen: WatchEvent[] = [];
    const events = (async () => {
      for await (const event of pods()) seen.push(event);
    })();
    const exchange = await server.next();
    exchange.open().event("ADDED", pod("a", "1"));
    exchange.write(JSON.stringify({ type: "ADDED", object: pod("b", "2") })).end();
    await expect(events).rejects.toMatchObject({ code: "ConnectionFailed" });
    expect(seen.map(nameOf)).toEqual(["a"]);
  });

  it("reports a torn connection as such", async () => {
    const events = collect(pods());
    const exchange = await server.next();
    exchange.open().write('{"type":');
    exchange.cut();
    await expect(events).rejects.toMatchObject({ code: "ConnectionFailed", retryable: true });
  });

  it.each([
    ["as the status of the answer", true],
    ["as an event", false],
  ])("reports 410 as Expired: %s", async (_way, asAnswer) => {
    const events = collect(pods({ resourceVersion: "1" }));
    const exchange = await server.next();
    const status = { kind: "Status", status: "Failure", code: 410, reason: "Expired", message: "too old" };
    if (asAnswer) exchange.json(status, 410);
    else exchange.open().event("ERROR", status);
    await expect(events).rejects.toMatchObject({ code: "Expired" });
    await exchange.closed;
  });

  it("refuses a page that was meant for people", async () => {
    const events = collect(pods());
    (await server.next()).json("<html>Please log in</html>", 200, { "content-type": "text/html" });
    await expect(events).rejects.toMatchObject({ code: "NotKubernetes" });
  });

  it("passes on how long the server wants to be left alone", async () => {
    const events = collect(pods());
    (await server.next()).status(429, "TooManyRequests", { "retry-after": "7" });
    await expect(events).rejects.toMatchObject({
      code: "TooManyRequests",
      details: { retryAfterSeconds: 7 },
    });
  });

  it("closes the connection when the consumer leaves", async () => {
    const events = pods();
    const first = events.next();
    const exchange = await server.next();
    exchange.open().event("ADDED", pod("a", "1"));
    expect(await first).toMatchObject({ done: false });
    await events.return();
    await exchange.closed;
  });

  it("ends with Cancelled when the signal aborts, before and after the answer", async () => {
    const abort = new AbortController();
    const unanswered = collect(pods({ signal: abort.signal }));
    const silent = await server.next();
    const open = collect(pods({ signal: abort.signal }));
    const exchange = await server.next();
    exchange.open();
    abort.abort();
    await expect(unanswered).rejects.toMatchObject({ code: "Cancelled" });
    await expect(open).rejects.toMatchObject({ code: "Cancelled" });
    await Promise.all([silent.closed, exchange.closed]);
  });

  it("reads no faster than events are taken", async () => {
    const line = `${JSON.stringify({ type: "ADDED", object: { ...pod("a", "1"), data: "x".repeat(60_000) } })}\n`;
    const events = pods();
    const first = events.next();
    const exchange = await server.next();
    exchange.open().write(line);
    await first;
    // Buffers of both sides and the kernel hold a few MB; a reader that did not wait would take all of it.
    const limitBytes = 64 * 1024 * 1024;
    expect(await exchange.flood(line, limitBytes)).toBeLessThan(limitBytes / 2);
    await events.return();
  });
});

describe("a frozen socket", () => {
  it.each([0, 0.999_999])("is noticed within 60 s, whatever the random timeout (%d)", async (chance) => {
    const clock = new ManualClock();
    const events = collect(pods({ clock, random: () => chance }));
    const failure = failureOf(events);
    const exchange = await server.next();
    const timeoutSeconds = Number(exchange.query.get("timeoutSeconds"));
    expect(timeoutSeconds).toBeGreaterThanOrEqual(30);
    expect(timeoutSeconds).toBeLessThanOrEqual(45);
    exchange.open();
    await clock.advance(timeoutSeconds * 1000);
    expect(clock.pending).toBe(1);
    await clock.advance(60_000 - timeoutSeconds * 1000);
    expect(await failure).toMatchObject({ code: "Timeout" });
    await exchange.closed;
    expect(clock.pending).toBe(0);
  });

  it("is noticed although no answer ever came", async () => {
    const clock = new ManualClock();
    const events = collect(pods({ clock }));
    const failure = failureOf(events);
    await server.next();
    await clock.advance(60_000);
    expect(await failure).toMatchObject({ code: "Timeout" });
  });

  it("is left to a transport that notices by itself, which lets watches be long", async () => {
    await using other = await ScriptedServer.start({ detectsDeadPeer: true });
    const events = collect(watch(other.transport, resources.pods, { clock: new ManualClock() }));
    const exchange = await other.next();
    expect(Number(exchange.query.get("timeoutSeconds"))).toBeGreaterThanOrEqual(300);
    expect(Number(exchange.query.get("timeoutSeconds"))).toBeLessThanOrEqual(600);
    exchange.open().end();
    await events;
  });

  it("is noticed by silence where the caller knows that there should be none", async () => {
    const clock = new ManualClock();
    const events = pods({ clock, silenceMs: 20_000, timeoutSeconds: 600 });
    const first = events.next();
    const exchange = await server.next();
    await clock.advance(15_000);
    exchange.open().event("ADDED", pod("a", "1"));
    await first;
    const failure = failureOf(events.next());
    await clock.advance(19_000);
    expect(clock.pending).toBe(2);
    await clock.advance(1_000);
    expect(await failure).toMatchObject({ code: "Timeout" });
    expect(clock.pending).toBe(0);
  });
});
