import type { ServerResponse } from "node:http";

import { Cluster } from "@bowline/api";
import { systemClock, type BowlineError, type Clock } from "@bowline/core";
import { ManualClock } from "@bowline/core/testing";
import { afterEach, describe, expect, test } from "vitest";

import type { ClientLimits } from "../client-options.ts";
import type { ChangeEvent, Client, ReadObject } from "../client.ts";
import { createClient } from "../create-client.ts";
import { sampleCluster } from "../testing/sample-cluster.ts";
import { errorBody, sendJson, TestServer, type TestRequest } from "../testing/test-server.ts";

const cleanups: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

/** Waits a twentieth of what it should. */
const hurriedClock: Clock = { ...systemClock, sleep: (ms, signal) => systemClock.sleep(ms / 20, signal) };

type Turn = (response: ServerResponse, request: TestRequest) => void;

/** A server that answers each connection of a watch in its own way; the last way is for all that follow. */
async function watched(
  turns: readonly Turn[],
  limits: Partial<ClientLimits> = {},
  clock = hurriedClock,
): Promise<{ server: TestServer; client: Client }> {
  let turn = 0;
  const server = await TestServer.start((request, response) => {
    turns[Math.min(turn++, turns.length - 1)]?.(response, request);
  });
  const client = createClient({ server: server.url, limits, clock, random: () => 1 });
  cleanups.push(
    () => server[Symbol.asyncDispose](),
    () => client.close(),
  );
  return { server, client };
}

function stream(response: ServerResponse, ...events: readonly string[]): ServerResponse {
  // As the server sends it: then a connection that is cut shows as an answer without its end.
  response.writeHead(200, { "content-type": "text/event-stream", connection: "close" });
  response.write(events.join(""));
  return response;
}

function change(type: string, name: string, id?: string): string {
  const data = JSON.stringify({ type, object: sampleCluster(name, id ?? "1") });
  return `${id === undefined ? "" : `id: ${id}\n`}data: ${data}\n\n`;
}

const bookmark = (id: string): string =>
  `id: ${id}\ndata: {"type":"BOOKMARK","metadata":{"resourceVersion":"${id}"}}\n\n`;

function shown(event: ChangeEvent<ReadObject<typeof Cluster>>): string {
  return event.type === "BOOKMARK"
    ? `BOOKMARK ${event.metadata.resourceVersion}`
    : `${event.type} ${event.object.metadata.name}`;
}

/** The first events, after which the watch is left. */
async function first(
  count: number,
  watch: AsyncGenerator<ChangeEvent<ReadObject<typeof Cluster>>>,
): Promise<string[]> {
  const events: string[] = [];
  for await (const event of watch) {
    events.push(shown(event));
    if (events.length === count) break;
  }
  return events;
}

test("tells what changes, and hangs up when the loop is left", async () => {
  const closed = Promise.withResolvers<void>();
  const { server, client } = await watched([
    (response) =>
      void stream(
        response,
        change("ADDED", "a"),
        bookmark("4"),
        change("MODIFIED", "a", "5"),
        change("DELETED", "a", "6"),
      ).once("close", closed.resolve),
  ]);
  const events = await first(4, client.watch(Cluster, { labelSelector: "a=b" }, { since: "3" }));
  expect(events).toEqual(["ADDED a", "BOOKMARK 4", "MODIFIED a", "DELETED a"]);
  expect(server.requests[0]).toMatchObject({
    url: "/api/v1/clusters?labelSelector=a%3Db&watch=true&resourceVersion=3",
    headers: { accept: "text/event-stream" },
  });
  await closed.promise;
});

describe("when the connection is lost it goes on after what it has seen", () => {
  test.each<[string, (response: ServerResponse) => void]>([
    ["ended", (response) => void response.end()],
    [
      "cut in the middle of an event",
      (response) => void response.write("id: 9\ndata: {", () => response.destroy()),
    ],
    ["reset", (response) => void response.write(" ", () => response.socket?.resetAndDestroy())],
    [
      "ended by a server that stops",
      (response) =>
        void response.end(
          `data: {"type":"ERROR",${JSON.stringify(errorBody("ServerUnavailable", "Stopping.")).slice(1)}\n\n`,
        ),
    ],
    ["fed with nonsense", (response) => void response.write("data: {nonsense\n\n")],
  ])("%s", async (_, end) => {
    const losses: string[] = [];
    const { server, client } = await watched([
      (response) => end(stream(response, bookmark("4"), change("ADDED", "a", "5"))),
      (response) => void stream(response, change("ADDED", "b", "6")),
    ]);
    const watch = client.watch(
      Cluster,
      {},
      { since: "1", onLost: (error, retryInMs) => losses.push(`${error.name} ${retryInMs}`) },
    );
    expect(await first(3, watch)).toEqual(["BOOKMARK 4", "ADDED a", "ADDED b"]);
    expect(server.requests.map(({ headers }) => headers["last-event-id"])).toEqual([undefined, "5"]);
    expect(losses).toEqual(["BowlineError 250"]);
  });

  test("silent for too long", async () => {
    const clock = new ManualClock();
    const { server, client } = await watched(
      [
        (response) => void stream(response, bookmark("4")),
        (response) => void stream(response, change("ADDED", "b", "6")),
      ],
      { silenceMs: 2_000 },
      clock,
    );
    const watch = client.watch(Cluster);
    expect(await watch.next()).toMatchObject({ value: { type: "BOOKMARK" } });
    const next = first(1, watch);
    for (const ms of [2_000, 250]) {
      await clock.armed(ms);
      await clock.advance(ms);
    }
    expect(await next).toEqual(["ADDED b"]);
    expect(server.requests[1]?.headers["last-event-id"]).toBe("4");
  });

  test("but begins again when the first objects were still coming", async () => {
    const { server, client } = await watched([
      (response) => void stream(response, change("ADDED", "a")).end(),
      (response) => void stream(response, change("ADDED", "a"), change("ADDED", "b"), bookmark("5")),
    ]);
    expect(await first(4, client.watch(Cluster))).toEqual(["ADDED a", "ADDED a", "ADDED b", "BOOKMARK 5"]);
    expect(server.requests[1]?.headers["last-event-id"]).toBeUndefined();
  });

  test("through times in which the server is not there at all", async () => {
    const { client } = await watched([
      (response) => void stream(response, bookmark("4")).end(),
      (response) => sendJson(response, 503, errorBody("ServerUnavailable", "Starting.")),
      (response) => response.destroy(),
      (response) => void stream(response, bookmark("5")),
    ]);
    expect(await first(2, client.watch(Cluster))).toEqual(["BOOKMARK 4", "BOOKMARK 5"]);
  });
});

describe("it ends with the error", () => {
  test("Expired, before the stream or in it: the caller has to list again", async () => {
    const { client } = await watched([
      (response) => sendJson(response, 410, errorBody("Expired", "Too old.")),
      (response) =>
        void stream(
          response,
          bookmark("4"),
          `id\ndata: {"type":"ERROR",${JSON.stringify(errorBody("Expired", "Too old.")).slice(1)}\n\n`,
        ),
    ]);
    await expect(first(1, client.watch(Cluster, {}, { since: "1" }))).rejects.toMatchObject({
      code: "Expired",
    });
    await expect(first(9, client.watch(Cluster, {}, { since: "1" }))).rejects.toMatchObject({
      code: "Expired",
      details: { requestId: "req-1" },
    });
  });

  test("that says the token is no longer good, even in the middle", async () => {
    const { client } = await watched([
      (response) => void stream(response, bookmark("4")).end(),
      (response) => sendJson(response, 401, errorBody("Unauthorized", "The token was revoked.")),
    ]);
    await expect(first(9, client.watch(Cluster))).rejects.toMatchObject({ code: "Unauthorized" });
  });

  test("that nobody is there, when nobody ever was", async () => {
    const { server, client } = await watched([(response) => response.destroy()], { maxAttempts: 2 });
    const outcome = await first(1, client.watch(Cluster)).catch((error: BowlineError) => error.code);
    expect(outcome).toBe("ConnectionFailed");
    expect(server.requests).toHaveLength(2);
  });

  test("that somebody else answers", async () => {
    const { client } = await watched([
      (response) => void response.writeHead(200, { "content-type": "text/html" }).end("<p>"),
    ]);
    await expect(first(1, client.watch(Cluster))).rejects.toMatchObject({ code: "NotBowline" });
  });

  test("that an event is too large", async () => {
    const { client } = await watched([(response) => void stream(response, `data: ${"x".repeat(5000)}`)], {
      maxEventBytes: 1000,
    });
    await expect(first(1, client.watch(Cluster))).rejects.toMatchObject({ code: "ResponseTooLarge" });
  });
});

test("events of a type that does not exist yet are skipped", async () => {
  const { client } = await watched([
    (response) => void stream(response, 'data: {"type":"RENAMED"}\n\n', bookmark("4")),
  ]);
  expect(await first(1, client.watch(Cluster))).toEqual(["BOOKMARK 4"]);
});

describe("it stops at once", () => {
  test.each(["while it waits for an event", "while it waits to connect again"])("%s", async (when) => {
    const abort = new AbortController();
    const { server, client } = await watched([
      (response) => {
        stream(response, bookmark("4"));
        if (when.endsWith("again")) response.end();
      },
      () => undefined,
    ]);
    const options = { signal: abort.signal, onLost: () => abort.abort() };
    const watch = client.watch(Cluster, {}, options);
    expect((await watch.next()).value).toMatchObject({ type: "BOOKMARK" });
    const next = watch.next().catch((error: unknown) => error);
    if (!when.endsWith("again")) abort.abort();
    expect(await next).toMatchObject({ code: "Cancelled" });
    expect(server.requests).toHaveLength(1);
  });
});

test("events about objects are watched in the same way", async () => {
  const record = { id: "1", reason: "Connected" };
  const { server, client } = await watched([
    (response) =>
      void stream(response, `id: 3\ndata: ${JSON.stringify({ type: "ADDED", object: record })}\n\n`),
  ]);
  for await (const event of client.watchEvents({ kind: "Cluster" })) {
    expect(event).toEqual({ type: "ADDED", object: record });
    break;
  }
  expect(server.requests[0]?.url).toBe("/api/v1/events?kind=Cluster&watch=true");
});
