import { ManualClock } from "@bowline/core/testing";
import { beforeEach, describe, expect, test } from "vitest";

import { FakeStreams } from "./testing/fake-streams.ts";
import { SseFeed } from "./watch-feed.ts";
import { WatchedObjects } from "./watched-objects.ts";

interface Item {
  readonly metadata: { readonly id: string; readonly size?: number };
}

let streams: FakeStreams;
let clock: ManualClock;
let frames: (() => void)[];

beforeEach(() => {
  streams = new FakeStreams();
  clock = new ManualClock(0);
  frames = [];
});

function watch(maxItems?: number): WatchedObjects<Item> {
  return new WatchedObjects<Item>({
    streams,
    feed: new SseFeed("/api/v1/clusters", ({ metadata }) => metadata.id),
    clock,
    random: () => 0,
    schedule: (callback) => frames.push(callback),
    ...(maxItems === undefined ? {} : { maxItems }),
  });
}

function drawFrame(): void {
  for (const callback of frames.splice(0)) callback();
}

const event = (type: string, id: string, revision: number): string =>
  `id: ${revision}\ndata: ${JSON.stringify({ type, object: { metadata: { id } } })}\n\n`;
const bookmark = (revision: number): string =>
  `id: ${revision}\ndata: ${JSON.stringify({ type: "BOOKMARK", metadata: { resourceVersion: String(revision) } })}\n\n`;

describe("A list that follows a watch", () => {
  test("is live when everything has come, and tells once per picture", () => {
    const list = watch();
    let told = 0;
    list.subscribe(() => (told += 1));
    expect(streams.last.request).toEqual({ get: "/api/v1/clusters?watch=1" });
    streams.last.start(200);
    streams.last.send(event("ADDED", "a", 1) + event("ADDED", "b", 2));
    expect(list.phase).toBe("listing");
    streams.last.send(bookmark(2));
    drawFrame();
    expect({ phase: list.phase, told, keys: [...list.items.keys()] }).toEqual({
      phase: "live",
      told: 1,
      keys: ["a", "b"],
    });
  });

  test("goes on from what it has seen when the connection was lost", () => {
    const list = watch();
    streams.last.start(200);
    streams.last.send(event("ADDED", "a", 1) + bookmark(7));
    streams.last.end("disconnected");
    expect(list.phase).toBe("reconnecting");
    expect(streams.last.request).toEqual({ get: "/api/v1/clusters?watch=1&resourceVersion=7" });
    streams.last.start(200);
    streams.last.send(event("DELETED", "a", 8) + bookmark(8));
    expect(list).toMatchObject({ phase: "live", items: new Map() });
  });

  test("is listed anew when the server has forgotten, and nothing disappears before it is known to be gone", async () => {
    const list = watch();
    streams.last.start(200);
    streams.last.send(event("ADDED", "a", 1) + event("ADDED", "b", 2) + bookmark(2));
    streams.last.end("disconnected");
    streams.last.start(410);
    streams.last.send(JSON.stringify({ error: { code: "Expired", message: "Too old.", requestId: "r" } }));
    streams.last.end("complete");
    await clock.advance(500);
    expect(streams.last.request).toEqual({ get: "/api/v1/clusters?watch=1" });
    streams.last.start(200);
    streams.last.send(event("ADDED", "b", 2));
    expect([...list.items.keys()]).toEqual(["a", "b"]);
    streams.last.send(bookmark(9));
    expect([...list.items.keys()]).toEqual(["b"]);
  });

  test("shows nothing of what one may not see any more, and says who refuses it", () => {
    const list = watch();
    streams.last.start(200);
    streams.last.send(event("ADDED", "a", 1) + bookmark(1));
    streams.last.end("disconnected");
    streams.last.start(403);
    streams.last.send(JSON.stringify({ error: { code: "Forbidden", message: "No.", requestId: "r7" } }));
    streams.last.end("complete");
    expect(list).toMatchObject({
      phase: "failed",
      items: new Map(),
      failure: { code: "Forbidden", message: "No.", requestId: "r7" },
    });
  });

  test("is late after 15 s of silence, and asked again after 30 s", async () => {
    const list = watch();
    streams.last.start(200);
    streams.last.send(event("ADDED", "a", 1) + bookmark(1));
    await clock.advance(15_000);
    expect(list.phase).toBe("late");
    streams.last.send(bookmark(1));
    expect(list.phase).toBe("live");
    await clock.advance(15_000);
    await clock.advance(15_000);
    await clock.advance(15_000);
    expect(list.phase).toBe("reconnecting");
    await clock.advance(500);
    expect(streams.opened).toHaveLength(2);
    expect(streams.last.request.get).toContain("resourceVersion=1");
    expect([...list.items.keys()]).toEqual(["a"]);
  });

  test("comes again when the server was busy, each time later", async () => {
    const list = watch();
    streams.last.start(503);
    streams.last.end("complete");
    await clock.advance(500);
    streams.last.start(503);
    streams.last.end("complete");
    await clock.advance(500);
    expect(streams.opened).toHaveLength(2);
    await clock.advance(500);
    expect(streams.opened).toHaveLength(3);
    expect(list.phase).toBe("connecting");
  });

  test("says what is in the way while it is tried again", async () => {
    const list = watch();
    streams.last.start(503, { "x-bowline-error-from": "agent", "x-request-id": "r9" });
    streams.last.send(JSON.stringify({ kind: "Status", reason: "AgentOffline", message: "Away." }));
    streams.last.end("complete");
    drawFrame();
    expect(list.snapshot).toMatchObject({
      phase: "connecting",
      failure: undefined,
      trouble: { code: "AgentOffline", isOfCluster: false, requestId: "r9" },
    });
    await clock.advance(500);
    streams.last.start(200);
    drawFrame();
    expect(list.snapshot).toMatchObject({ phase: "listing", trouble: undefined });
  });

  test("is asked again when somebody wants it to be", () => {
    const list = watch();
    streams.last.start(403);
    streams.last.end("complete");
    expect(list.phase).toBe("failed");
    list.retry();
    expect(list).toMatchObject({ phase: "connecting", failure: undefined });
    expect(streams.opened).toHaveLength(2);
  });

  test("gathers many changes for longer than one picture", async () => {
    const list = watch();
    let told = 0;
    list.subscribe(() => (told += 1));
    streams.last.start(200);
    for (let id = 1; id <= 100; id++) streams.last.send(event("ADDED", `item-${id}`, id));
    drawFrame();
    streams.last.send(event("ADDED", "late", 101));
    drawFrame();
    expect({ told, waiting: list.snapshot.items.size }).toEqual({ told: 1, waiting: 101 });
    await clock.advance(250);
    drawFrame();
    expect(told).toBe(2);
    streams.last.send(event("ADDED", "alone", 102));
    drawFrame();
    expect(told).toBe(3);
  });

  test("tells of the end of a list at once, however much came before it", () => {
    const list = watch();
    streams.last.start(200);
    for (let id = 1; id <= 100; id++) streams.last.send(event("ADDED", `item-${id}`, id));
    drawFrame();
    streams.last.send(event("ADDED", "last", 101) + bookmark(101));
    drawFrame();
    expect(list.snapshot.phase).toBe("live");
    for (let id = 102; id <= 200; id++) streams.last.send(event("ADDED", `item-${id}`, id));
    drawFrame();
    // It was complete before.
    streams.last.send(bookmark(200));
    expect(frames).toEqual([]);
  });

  test("keeps no more than it may", () => {
    const list = watch(2);
    streams.last.start(200);
    streams.last.send(event("ADDED", "a", 1) + event("ADDED", "b", 2) + event("ADDED", "c", 3));
    expect([...list.items.keys()]).toEqual(["b", "c"]);
  });
});
